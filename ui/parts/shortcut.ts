/** Shortcuts as text: modifiers and the place of a key, `Ctrl+Shift+Comma` (D12). Pure. */

const SHORTCUT = /^(?=.*(?:Ctrl|Alt|Meta)\+)(?:(?:Ctrl|Alt|Shift|Meta)\+){1,4}[A-Z]\w+$/

/** What browsers and Electron act on before a page can, or what people expect of every page. */
const RESERVED =
  /^(?:(?:Ctrl|Meta)\+(?:Shift\+)?Key[ACFNPQRSTVWXZ]|(?:Ctrl|Meta)\+(?:Equal|Minus|Digit\d|Key[DHJLOU])|Alt\+(?:F4|Arrow\w+|Tab))$/

export interface ShortcutEvent {
  readonly code: string
  readonly ctrlKey: boolean
  readonly altKey: boolean
  readonly shiftKey: boolean
  readonly metaKey: boolean
}

export function isShortcut(text: string): boolean {
  return SHORTCUT.test(text)
}

export function isReserved(text: string): boolean {
  return RESERVED.test(text)
}

/** Whether these keys are the shortcut; never for ''. */
export function matches(event: ShortcutEvent, shortcut: string): boolean {
  if (!isShortcut(shortcut)) return false
  const parts = shortcut.split('+')
  return (
    parts.at(-1) === event.code &&
    parts.includes('Ctrl') === event.ctrlKey &&
    parts.includes('Alt') === event.altKey &&
    parts.includes('Shift') === event.shiftKey &&
    parts.includes('Meta') === event.metaKey
  )
}

const SIGNS: Readonly<Record<string, string>> = {
  Comma: ',',
  Period: '.',
  Slash: '/',
  Semicolon: ';',
  Quote: '’',
  Backquote: '`',
  Minus: '-',
  Equal: '=',
  BracketLeft: '[',
  BracketRight: ']',
  Backslash: '\\',
}

/** As people write it: "Ctrl+Shift+,". */
export function shortcutText(shortcut: string): string {
  return shortcut.replace(/\w+$/, (code) => SIGNS[code] ?? code.replace(/^(?:Key|Digit)/, ''))
}
