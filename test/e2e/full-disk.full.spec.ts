/** A full disk under DSH_HOME: what main does is the host's business; a side answers or says so, and nothing typed is lost. */
import { execFile } from 'node:child_process'
import { mkdtemp, open as openFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'

import { openPage, type OpenPage } from '../kit/browser.ts'
import type { Rig } from '../kit/host.ts'
import { liveChildren, startSabotagedRig } from '../kit/saboteur.ts'
import { askIn, paste, side } from '../kit/surface.ts'

const run = promisify(execFile)
let place = ''
let rig: Rig | undefined
let open: OpenPage | undefined
/** Why no disk can be filled here; a test says it in words. */
let cannot = ''

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), `sidemind-${process.pid}-`))
  try {
    await run('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', place])
  } catch {
    cannot = 'A disk of its own could not be mounted: this takes Linux and root. The full disk was not tried.'
    return
  }
  rig = await startSabotagedRig({ home: join(place, 'home') })
})
afterAll(async () => {
  await open?.close()
  await rig?.stop()
  if (cannot === '') await run('umount', [place])
  await rm(place, { recursive: true, force: true })
})

/** Writes until nothing more can be written. */
async function fill(): Promise<void> {
  const file = await openFile(join(place, 'filler'), 'w')
  try {
    for (let size = 1 << 20; size >= 1;) {
      try {
        await file.write(Buffer.alloc(size))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
        size = Math.floor(size / 2)
      }
    }
  } finally {
    await file.close()
  }
}

it('a side opens, answers and goes on while the disk is full, the host lives, and main goes on when there is room', async (context) => {
  if (rig === undefined) return context.skip(cannot)
  const main = await rig.newSession()
  await rig.ask(main, 'Hello. [[plain Hi there.]]')
  open = await openPage(rig.url, { sessionId: main, viewport: { width: 1440, height: 900 } })
  await open.page.locator('[data-chat-flow]').getByText('Hi there.', { exact: true }).waitFor()
  await fill()
  await paste(open.page, '/side FULL? [[plain There is room here.]]')
  const panel = side(open.page)
  await panel.getByText('There is room here.', { exact: true }).waitFor()
  await askIn(panel, 'And more? [[plain More.]]')
  await panel.getByText('More.', { exact: true }).waitFor()
  await expect(writeFile(join(place, 'one-more'), 'x')).rejects.toThrow('ENOSPC')
  expect(await liveChildren(rig, main)).toHaveLength(1)
  await rm(join(place, 'filler'))
  await askIn(panel, 'And now? [[plain As ever.]]')
  await panel.getByText('As ever.', { exact: true }).waitFor()
  await rig.ask(main, 'Main afterwards. [[plain Fine.]]')
  expect(JSON.stringify(await rig.history(main))).toContain('Fine.')
})
