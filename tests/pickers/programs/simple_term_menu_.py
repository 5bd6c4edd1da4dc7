from simple_term_menu import TerminalMenu

COLOURS = ["red", "green", "blue", "cyan"]
print("GOT", COLOURS[TerminalMenu(COLOURS, title="Pick a colour").show()])
