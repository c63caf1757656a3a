/** Where this page's later files are: beside its own script. */

import * as react from 'react'
import * as reactDom from 'react-dom'
import * as jsxRuntime from 'react/jsx-runtime'
import { openLater, type FetchLater } from '../parts/later.ts'

const PAGE: Readonly<Record<string, unknown>> = { react, 'react-dom': reactDom, 'react/jsx-runtime': jsxRuntime }

/** Rejects when the service is gone. */
export const fetchLater: FetchLater = async (name, attempt) => {
  const address = `later/${name}.js${attempt === 0 ? '' : `?again=${attempt}`}`
  return openLater(await import(/* @vite-ignore */ new URL(address, document.baseURI).href), PAGE)
}
