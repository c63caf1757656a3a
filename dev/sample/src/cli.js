#!/usr/bin/env node
import { asTable } from './format.js'
import { harbours } from './harbours.js'
import { turns } from './tides.js'

const [place, ...flags] = process.argv.slice(2)
const harbour = harbours[place]
if (!harbour) {
  console.error(`Which harbour? One of: ${Object.keys(harbours).join(', ')}`)
  process.exit(1)
}

// TODO: --days is read as text, so "--days 2" becomes the string '2'.
const days = flags.includes('--days') ? flags[flags.indexOf('--days') + 1] : 1
const list = turns(harbour, Date.now(), Date.now() + days * 86_400_000)
console.log(flags.includes('--json') ? JSON.stringify(list, null, 2) : asTable(list))
