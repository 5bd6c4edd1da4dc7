import { confirm, input, password, search, select } from '@inquirer/prompts'

const colours = ['red', 'green', 'blue', 'cyan', 'black', 'white', 'pink', 'grey', 'lime', 'teal']
const choices = colours.map((value) => ({ value, description: `${value} it is` }))
const colour = await select({ message: 'Pick a colour', choices })
const sure = await confirm({ message: 'Sure?' })
const name = await input({ message: 'Your name?' })
const secret = await password({ message: 'Secret?' })
const again = await search({ message: 'Again?', source: async (term) => choices.filter((one) => !term || one.value.includes(term)) })
console.log(`GOT ${colour} ${sure} ${name} ${secret} ${again}`)
