/** Serves the built page under `/t/<token>/`, to who knows the token and nobody else. What it may load is itself. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MiddlewareHandler } from 'hono'
import { sameText } from './guard.ts'

const SCRIPT = 'text/javascript; charset=utf-8'

/** The one files there are, by what follows the token; nothing of a request becomes a path. */
const FILES: ReadonlyMap<string, { readonly file: string; readonly type: string }> = new Map([
  ['page.js', { file: 'web/page.js', type: SCRIPT }],
  ['page.css', { file: 'web/page.css', type: 'text/css; charset=utf-8' }],
  ...['markdown', 'code', 'math', 'tabs'].map(
    (name) => [`later/${name}.js`, { file: `later/${name}.js`, type: SCRIPT }] as const,
  ),
])

const DOCUMENT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>SideMind</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="page.css">
<script type="module" src="page.js"></script>
<body>
<div id="root"></div>
</body>
</html>
`

const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "form-action 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
}

/**
 * The page for `startCodexService({ page })`: `pageFor(folder)` is a function of the token of this start, and what it gives
 * answers every request below `/t/`. Its address is `${service.url}/t/${service.token}/`.
 *
 * @param folder the built package's `dist`, with `web/` and `later/` in it; read at every request.
 */
export function pageFor(folder: string): (token: string) => MiddlewareHandler {
  return (token) => async (context) => {
    const [given = '', ...rest] = new URL(context.req.url).pathname.slice('/t/'.length).split('/')
    if (!sameText(given, token)) return context.body(null, 404)
    if (context.req.method !== 'GET' && context.req.method !== 'HEAD') return context.body(null, 405)
    // Names in the page are relative to the folder that this address names.
    if (rest.length === 0) return context.redirect(`/t/${token}/`, 308)
    const name = rest.join('/')
    if (name === '') return context.body(DOCUMENT, 200, { ...HEADERS, 'content-type': 'text/html; charset=utf-8' })
    const known = FILES.get(name)
    const bytes = known === undefined ? null : await readFile(join(folder, known.file)).catch(() => null)
    if (known === undefined || bytes === null) return context.body(null, 404)
    return context.body(new Uint8Array(bytes), 200, { ...HEADERS, 'content-type': known.type })
  }
}
