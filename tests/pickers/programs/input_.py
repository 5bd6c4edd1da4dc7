import getpass

name, secret = input("Your name? "), getpass.getpass("Secret: ")
print("1) red\n2) green")
print("GOT", name, secret, input("Which [1-2]: "))
