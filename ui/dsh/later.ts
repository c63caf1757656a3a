/** Where the client half's later files are: served by our host half, beside the client bundle. */

import type { FetchLater } from '../parts/later.ts'

const PATH = '/plugins/sidemind-for-dsh/later'

/** Rejects where there is no such file: a host without a web server, one that is gone, a half of another version. */
export const fetchLater: FetchLater = (name, attempt) =>
  import(/* @vite-ignore */ `${PATH}/${name}.js${attempt === 0 ? '' : `?again=${attempt}`}`)
