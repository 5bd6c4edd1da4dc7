from InquirerPy import inquirer

colour = inquirer.select(message="Pick a colour", choices=["red", "green", "blue"]).execute()
food = inquirer.fuzzy(message="Pick a food", choices=["apple", "bread", "corn"]).execute()
print("GOT", colour, food)
