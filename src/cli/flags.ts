/** The command line as a plain value. Pure; what is wrong with it becomes a sentence. */

import { parseArgs } from 'node:util'
import { Told, type Words } from './words.ts'

export interface Flags {
  readonly codex?: string
  readonly codexHome?: string
  readonly cwd?: string
  readonly state?: string
  /** 0 for a free one. */
  readonly port: number
  readonly open: boolean
  readonly json: boolean
  readonly demo: boolean
}

const VALUES = ['codex', 'codex-home', 'cwd', 'port', 'state'] as const
const SWITCHES = ['no-open', 'json', 'demo', 'help'] as const

/** The flags of `codex`, or 'help'. Throws Told. */
export function readFlags(args: readonly string[], words: Words): Flags | 'help' {
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    tokens: true,
    options: {
      ...Object.fromEntries(VALUES.map((name) => [name, { type: 'string' as const }])),
      ...Object.fromEntries(SWITCHES.map((name) => [name, { type: 'boolean' as const }])),
      help: { type: 'boolean', short: 'h' },
    },
  })
  const values = new Map<string, string>()
  const switches = new Set<string>()
  const named: string[] = []
  const wrong = (sentence: string): never => {
    throw new Told(`${sentence}\n\n${words.usage}`)
  }
  for (const token of tokens) {
    if (token.kind === 'positional') named.push(token.value)
    if (token.kind !== 'option') continue
    const { name, rawName, value } = token
    if ((SWITCHES as readonly string[]).includes(name)) {
      if (value !== undefined) wrong(words.takesNoValue(rawName))
      switches.add(name)
    } else if ((VALUES as readonly string[]).includes(name)) {
      if (value === undefined || (!token.inlineValue && value.startsWith('--'))) wrong(words.needsValue(rawName))
      values.set(name, value ?? '')
    } else wrong(words.unknownFlag(rawName))
  }
  if (switches.has('help')) return 'help'
  const [command = '', ...surplus] = named
  if (command !== 'codex') wrong(words.noCommand(command))
  if (surplus[0] !== undefined) wrong(words.surplus(surplus[0]))
  const given = values.get('port')
  const port = given === undefined ? 0 : Number(given)
  if (given !== undefined && !(/^\d+$/.test(given) && port >= 1 && port <= 65_535)) wrong(words.badPort(given))
  if (values.has('codex-home') && switches.has('demo')) wrong(words.demoHasHome)
  const path = (name: string, as: string): Record<string, string> => {
    const value = values.get(name)
    return value === undefined ? {} : { [as]: value }
  }
  return {
    ...path('codex', 'codex'),
    ...path('codex-home', 'codexHome'),
    ...path('cwd', 'cwd'),
    ...path('state', 'state'),
    port,
    open: !switches.has('no-open'),
    json: switches.has('json'),
    demo: switches.has('demo'),
  }
}
