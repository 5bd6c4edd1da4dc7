import { checkbox } from '@inquirer/prompts'
import * as clack from '@clack/prompts'
import prompts from 'prompts'

const message = 'Pick colours'
const names = ['red', 'green', 'blue', 'cyan']
const first = await checkbox({ message, choices: names.map((value) => ({ value })) })
const choices = names.map((value) => ({ title: value, value }))
const { second } = await prompts({ type: 'multiselect', name: 'second', message, choices })
const options = names.map((value) => ({ value, label: value }))
const third = await clack.multiselect({ message, options })
console.log(`GOT ${first} ${second} ${third}`)
