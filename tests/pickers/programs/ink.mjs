import { Box, Text, render, useApp } from 'ink'
import SelectInput from 'ink-select-input'
import { createElement as h } from 'react'

let got
const items = ['red', 'green', 'blue', 'cyan'].map((value) => ({ label: value, value }))
const Colours = () => {
  const { exit } = useApp()
  const onSelect = (item) => {
    got = item.value
    exit()
  }
  return h(Box, { flexDirection: 'column' }, h(Text, { bold: true }, 'Pick a colour'), h(SelectInput, { items, onSelect }))
}
await render(h(Colours)).waitUntilExit()
console.log(`GOT ${got}`)
