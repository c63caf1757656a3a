/** Counts what our own code handles that is long: the characters of each long string that it searches, cuts or matches, and
 *  the items of each long list that it goes through or copies. What is joined by `+` costs nothing until it is read, and is
 *  counted then. */

const OF_STRINGS = [
  ...[
    'slice',
    'substring',
    'split',
    'replace',
    'replaceAll',
    'match',
    'matchAll',
    'includes',
    'startsWith',
    'endsWith',
  ],
  ...['indexOf', 'lastIndexOf', 'trim', 'trimEnd', 'trimStart', 'toLowerCase', 'charCodeAt', 'codePointAt', 'at'],
] as const
const OF_LISTS = [
  ...['slice', 'map', 'filter', 'flatMap', 'concat', 'with', 'toSpliced', 'join', 'every', 'some', 'reduce', 'find'],
  ...['findIndex', 'findLast', 'findLastIndex', 'indexOf', 'includes', 'forEach', 'splice', 'shift', 'flat'],
] as const

/** Shorter ones are what a part of an answer is made of. */
export const LONG_STRING = 30_000
export const LONG_LIST = 100

export interface Handled {
  characters: number
  items: number
}

/** What `work` handles, waiting for it included. */
export async function handledBy(work: () => unknown): Promise<Handled> {
  const handled: Handled = { characters: 0, items: 0 }
  const text = (value: unknown): void => {
    if (typeof value === 'string' && value.length > LONG_STRING && isOurs()) handled.characters += value.length
  }
  const list = (value: unknown): void => {
    if (Array.isArray(value) && value.length > LONG_LIST && isOurs()) handled.items += value.length
  }
  const undo = [
    ...OF_STRINGS.map((name) => watch(String.prototype, name, (self) => text(self))),
    ...OF_LISTS.map((name) => watch(Array.prototype, name, (self) => list(self))),
    ...['exec', 'test'].map((name) => watch(RegExp.prototype, name, (_, [value]) => text(value))),
  ]
  try {
    await work()
  } finally {
    for (const step of undo) step()
  }
  return handled
}

/** Tells of every call of a method until the returned function is called. */
function watch(prototype: object, name: string, tell: (self: unknown, args: readonly unknown[]) => void): () => void {
  const method: unknown = Reflect.get(prototype, name)
  if (typeof method !== 'function') throw new Error(`there is no ${name}`)
  const put = (value: unknown): boolean =>
    Reflect.defineProperty(prototype, name, { value, configurable: true, writable: true, enumerable: false })
  put(function watched(this: unknown, ...args: unknown[]): unknown {
    // In strict code a string is itself here.
    tell(this, args)
    return Reflect.apply(method, this, args)
  })
  return () => void put(method)
}

/** Whether a file of this repository made the call: neither React nor jsdom did. */
function isOurs(): boolean {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 5
  const lines = (new Error().stack ?? '').split('\n')
  Error.stackTraceLimit = limit
  // The message, this function, `text` or `list`, who tells, the watched method, its caller.
  return !(lines[5] ?? '').includes('/node_modules/')
}
