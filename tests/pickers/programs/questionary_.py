import questionary

colour = questionary.select("Pick a colour", choices=["red", "green", "blue", "cyan"]).ask()
print("GOT", colour, questionary.confirm("Sure?").ask(), questionary.text("Your name?").ask())
