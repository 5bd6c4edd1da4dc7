import enquirer from 'enquirer'

const choices = ['red', 'green', 'blue', 'cyan']
const colour = await new enquirer.Select({ name: 'colour', message: 'Pick a colour', choices }).run()
const foods = ['apple', 'bread', 'corn', 'dates', 'eggs', 'figs']
const food = await new enquirer.AutoComplete({ name: 'food', message: 'Pick a food', limit: 4, choices: foods }).run()
console.log(`GOT ${colour} ${food}`)
