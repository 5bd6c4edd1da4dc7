import prompts from 'prompts'

const colours = ['red', 'green', 'blue', 'cyan', 'black', 'white', 'pink', 'grey', 'lime', 'teal', 'navy', 'gold']
const choices = colours.map((title) => ({ title, value: title, description: `${title} it is` }))
const { colour } = await prompts({ type: 'select', name: 'colour', message: 'Pick a colour', choices })
const { sure } = await prompts({ type: 'confirm', name: 'sure', message: 'Sure?' })
const { name } = await prompts({ type: 'text', name: 'name', message: 'Your name?' })
const { again } = await prompts({ type: 'autocomplete', name: 'again', message: 'Again?', choices })
console.log(`GOT ${colour} ${sure} ${name} ${again}`)
