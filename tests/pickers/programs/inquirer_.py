import inquirer

asked = inquirer.List("colour", message="Pick a colour", choices=["red", "green", "blue", "cyan"])
print("GOT", inquirer.prompt([asked])["colour"])
