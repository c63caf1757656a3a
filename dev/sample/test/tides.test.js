import assert from 'node:assert/strict'
import { test } from 'node:test'

import { harbours } from '../src/harbours.js'
import { turns } from '../src/tides.js'

test('a day has three to five turns, high and low by turns', () => {
  const from = Date.UTC(2026, 2, 4)
  const list = turns(harbours.brest, from, from + 86_400_000)
  assert.ok(list.length >= 3 && list.length <= 5)
  for (let i = 1; i < list.length; i++) assert.notEqual(list[i].kind, list[i - 1].kind)
})
