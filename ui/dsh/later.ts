/** Where the client half's later files are: served by our host half, beside the client bundle. */

import * as react from 'react'
import * as reactDom from 'react-dom'
import * as jsxRuntime from 'react/jsx-runtime'
import { openLater, type FetchLater } from '../parts/later.ts'

const PATH = '/plugins/sidemind-for-dsh/later'
const PAGE: Readonly<Record<string, unknown>> = { react, 'react-dom': reactDom, 'react/jsx-runtime': jsxRuntime }

/** Rejects where there is no such file: a host without a web server, one that is gone, a half of another version. */
export const fetchLater: FetchLater = async (name, attempt) => {
  const address = `${PATH}/${name}.js${attempt === 0 ? '' : `?again=${attempt}`}`
  return openLater(await import(/* @vite-ignore */ address), PAGE)
}
