/** What of ours is in the wrong language on a Chinese page. */
import type { Page } from 'playwright-core'

import { visibleWords } from './geometry.ts'

/** Names and units that stay as they are: keys, files, tools, the model's name, tokens, and the provider's own words of an error. */
const NAMES =
  /\b(?:Esc|Tab|Comma|(?<=\/)(?:btw|side)|glob|lsp|[a-z]+(?:_[a-z]+)+|Off|log\.pipe|Ctrl|Shift|tokens|README\.md|notes\.txt|read|write|kB|MB|DeepSeek[-\w]*|deepseek[-\w]*|Max|max|grep|Yarn|Low|low|High|high|npm|yarn|js|https?:\S+|example\.com\S*)\b/g

/** What the provider says of a refused key; it stands below our sentence. */
const PROVIDER = 'Authentication Fails, your api key is invalid'

/** @returns how many texts were looked at, and each one with a word of English that is no name. */
export async function foreignWords(page: Page): Promise<{ seen: number; foreign: readonly string[] }> {
  const texts = await visibleWords(page)
  const foreign = texts.filter((text) => text !== PROVIDER && /[A-Za-z]{2,}/.test(text.replaceAll(NAMES, '')))
  return { seen: texts.length, foreign: [...new Set(foreign)] }
}
