/** The page's language: what the person chose here, else the browser's. */

export interface Language {
  /** "zh" or "en". */
  active(): string
  subscribe(listener: () => void): () => void
  toggle(): void
}

const KEY = 'sidemind-language'

export function createLanguage(
  preferred: string,
  storage: Pick<Storage, 'getItem' | 'setItem'> | null,
  onChange: (active: string) => void,
): Language {
  const listeners = new Set<() => void>()
  let active = read() ?? (preferred.toLowerCase().startsWith('zh') ? 'zh' : 'en')
  onChange(active)

  function read(): string | null {
    try {
      const stored = storage?.getItem(KEY)
      return stored === 'zh' || stored === 'en' ? stored : null
    } catch {
      return null
    }
  }

  return {
    active: () => active,
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    toggle() {
      active = active === 'zh' ? 'en' : 'zh'
      try {
        storage?.setItem(KEY, active)
      } catch {
        // Full, or forbidden: it holds for this page.
      }
      onChange(active)
      for (const listener of listeners) listener()
    },
  }
}
