from pick import pick

print("GOT", pick(["red", "green", "blue", "cyan"], "Pick a colour")[0])
