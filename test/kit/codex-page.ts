/** The page of the service in a browser: real Codex, scripted model, the built page files. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

import { KEY_VARIABLE } from '../../dev/codex/home.ts'
import { startCodexService, type CodexService } from '../../src/codex.ts'
import { pageFor } from '../../src/service/page.ts'
import { openBrowser } from './browser.ts'
import { startLab, type CodexLab } from './codex.ts'

const DIST = join(import.meta.dirname, '../../dist')

export interface PageRig {
  readonly lab: CodexLab
  /** The one that runs now. */
  readonly service: CodexService
  /** The page's address; the same after a restart. */
  readonly url: string
  stop(): Promise<void>
  /** On the same port, with the same token. */
  start(): Promise<void>
  open(options?: PageView): Promise<{ page: Page; errors: string[]; close: () => Promise<void> }>
  end(): Promise<void>
}

export interface PageView {
  readonly viewport?: { readonly width: number; readonly height: number }
  readonly locale?: string
  readonly colorScheme?: 'light' | 'dark'
  /** Which thread; left out, the list. */
  readonly threadId?: string
}

export async function startPageRig(): Promise<PageRig> {
  const lab = await startLab()
  const state = await mkdtemp(join(tmpdir(), 'sidemind-state-'))
  const token = 'the-token-of-this-page'
  let service: CodexService
  let port = 0
  async function start(): Promise<void> {
    service = await startCodexService({
      binary: lab.binary,
      codexHome: lab.home,
      cwd: lab.work,
      state,
      port,
      version: '0.0.0',
      env: { [KEY_VARIABLE]: 'any' },
      token,
      page: pageFor(DIST),
      report: () => undefined,
    })
    port = service.port
  }
  await start()
  return {
    lab,
    get service() {
      return service
    },
    get url() {
      return `${service.url}/t/${token}/`
    },
    start,
    stop: () => service.close(),
    async open({ threadId, viewport = { width: 1280, height: 800 }, locale = 'en-US', ...more } = {}) {
      const browser = await openBrowser()
      const tab = await browser.newContext({ viewport, locale, ...more })
      const page = await tab.newPage()
      const errors: string[] = []
      page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())))
      page.on('pageerror', (error) => void errors.push(error.stack ?? error.message))
      await page.goto(`${service.url}/t/${token}/${threadId === undefined ? '' : `#${threadId}`}`)
      return { page, errors, close: () => tab.close() }
    },
    async end() {
      await service.close()
      await lab.end()
      await rm(state, { recursive: true, force: true })
    },
  }
}
