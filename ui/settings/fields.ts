/** The fields of the configuration as a person edits them: what is typed, what it means, and why it is refused. Pure. The schema
 *  that decides is the host half's; a test holds both together. */

import { isReserved, isShortcut } from '../parts/shortcut.ts'

type Kind =
  | { readonly kind: 'number'; readonly min: number; readonly max: number; readonly whole: boolean }
  | { readonly kind: 'choice'; readonly options: readonly string[] }
  | { readonly kind: 'switch' | 'list' | 'letter' | 'keys' }

export const FIELDS = [
  { name: 'copyKey', kind: 'letter' },
  { name: 'sideKey', kind: 'keys' },
  { name: 'liveTurn', kind: 'choice', options: ['digest', 'off'] },
  { name: 'tools', kind: 'list' },
  { name: 'readOtherSessions', kind: 'switch' },
  { name: 'toolSurface', kind: 'choice', options: ['auto', 'restrict', 'inherit'] },
  { name: 'inheritFromTokens', kind: 'number', min: 0, max: Infinity, whole: true },
  { name: 'sidesPerConversation', kind: 'number', min: 1, max: 32, whole: true },
  { name: 'sidesPerHost', kind: 'number', min: 1, max: 64, whole: true },
  { name: 'undoSeconds', kind: 'number', min: 0, max: 60, whole: false },
  { name: 'lostClientSeconds', kind: 'number', min: 10, max: 3_600, whole: false },
  { name: 'parkedMinutes', kind: 'number', min: 1, max: 1_440, whole: false },
] as const satisfies readonly ({ readonly name: string } & Kind)[]

export type FieldName = (typeof FIELDS)[number]['name']

export type Field = { readonly name: FieldName } & Kind

/** A value as text in its control. */
export function toText(value: unknown): string {
  if (Array.isArray(value)) return value.join('\n')
  return typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? `${value}` : ''
}

export type Parsed =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false
      readonly why: 'badNumber' | 'badWhole' | 'badAtLeast' | 'badLetter' | 'badKeys' | 'reservedKeys'
    }

/** What a text means in the field, or why it means nothing. */
export function parseText(field: Field, text: string): Parsed {
  const typed = text.trim()
  switch (field.kind) {
    case 'number': {
      const value = Number(typed)
      const fits = typed !== '' && value >= field.min && value <= field.max && Number.isFinite(value)
      if (fits && (!field.whole || Number.isInteger(value))) return { ok: true, value }
      if (field.max === Infinity) return { ok: false, why: 'badAtLeast' }
      return { ok: false, why: field.whole ? 'badWhole' : 'badNumber' }
    }
    case 'switch':
      return { ok: true, value: text === 'true' }
    case 'list': {
      const lines = text.split(/[\n,]/).map((line) => line.trim())
      return { ok: true, value: [...new Set(lines)].filter((line) => line !== '') }
    }
    case 'letter':
      return /^\p{L}?$/u.test(typed) ? { ok: true, value: typed.toLowerCase() } : { ok: false, why: 'badLetter' }
    case 'keys':
      if (typed !== '' && !isShortcut(typed)) return { ok: false, why: 'badKeys' }
      return isReserved(typed) ? { ok: false, why: 'reservedKeys' } : { ok: true, value: typed }
    case 'choice':
      return { ok: true, value: text }
  }
}
