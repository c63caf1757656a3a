/** The page's words in its live language, for every component of it. */

import { createContext, useContext } from 'react'
import { translator } from '../locales.ts'
import { webDictionaries } from './words.ts'
import type { WebKey } from './words.ts'

export type PageWords = (key: WebKey, params?: Readonly<Record<string, string | number>>) => string

const WordsContext = createContext<PageWords>(translator(webDictionaries.en))

export const WordsProvider = WordsContext.Provider

export function createPageWords(language: string): PageWords {
  return translator(language === 'zh' ? webDictionaries.zh : webDictionaries.en)
}

export function useWords(): PageWords {
  return useContext(WordsContext)
}
