import * as clack from '@clack/prompts'

const options = ['red', 'green', 'blue', 'cyan'].map((value) => ({ value, label: value }))
clack.intro('hello')
const colour = await clack.select({ message: 'Pick a colour', options })
const sure = await clack.confirm({ message: 'Sure?' })
const name = await clack.text({ message: 'Your name?', placeholder: 'Ann' })
const spinner = clack.spinner()
spinner.start('Working')
await new Promise((resolve) => setTimeout(resolve, 700))
spinner.stop('Done')
const again = await clack.select({ message: 'Again?', options })
clack.outro('bye')
console.log(`GOT ${colour} ${sure} ${name} ${again}`)
