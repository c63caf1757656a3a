/** What a page holds once garbage is collected, as the browser itself counts it over its debugging protocol. */
import type { CDPSession, Page } from 'playwright-core'

/** Counts of what is alive in one page. */
export interface PageState {
  /** Bytes of the JavaScript heap. */
  heapUsed: number
  /** Nodes that a script still holds although they are on no document, by what they are. */
  detached: Record<string, number>
  /** Nodes that the browser keeps beyond those on the page. */
  offPage: number
  /** Listeners on nodes and windows. */
  listeners: number
  /** Streams that are being read, or that nobody ended. */
  streams: number
  /** Whatever can still be given up. */
  aborts: number
  /** Observers of sizes and of changes. */
  observers: number
  /** Commands that the host has not answered. */
  commands: number
  /** Entries of maps and sets that are filed under one of the ids that were asked for, by what they hold. */
  filed: Record<string, number>
}

/** Watches `page` from now on; the returned function collects garbage and looks. */
export async function watchPage(page: Page): Promise<(ids: readonly string[]) => Promise<PageState>> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('HeapProfiler.enable')
  await cdp.send('Performance.enable')
  const held = new Set<unknown>()
  page.on('request', (request) => void (request.url().includes('commands/execute') && held.add(request)))
  page.on('requestfinished', (request) => void held.delete(request))
  page.on('requestfailed', (request) => void held.delete(request))

  return async (ids) => {
    let heapUsed = Infinity
    // What finalizers and compiled code that is thrown away leave behind goes in a later round.
    for (let round = 0; round < 8; round += 1) {
      await cdp.send('HeapProfiler.collectGarbage')
      await page.waitForTimeout(150)
      heapUsed = Math.min(heapUsed, (await cdp.send('Runtime.getHeapUsage')).usedSize)
    }
    const detached = await ofKind<Record<string, number>>(cdp, 'Node.prototype', countDetached)
    const { metrics } = await cdp.send('Performance.getMetrics')
    const metric = (name: string): number => metrics.find((one) => one.name === name)?.value ?? NaN
    return {
      heapUsed,
      detached,
      offPage: metric('Nodes') - (await page.evaluate(countNodes)),
      listeners: metric('JSEventListeners'),
      streams: await ofKind(cdp, ASYNC_GENERATOR, countAll),
      aborts: await ofKind(cdp, 'AbortController.prototype', countAll),
      observers:
        (await ofKind<number>(cdp, 'ResizeObserver.prototype', countAll)) +
        (await ofKind<number>(cdp, 'MutationObserver.prototype', countAll)),
      commands: held.size,
      filed: {
        ...(await ofKind<Record<string, number>>(cdp, 'Map.prototype', countFiled, ids)),
        ...(await ofKind<Record<string, number>>(cdp, 'Set.prototype', countFiled, ids)),
      },
    }
  }
}

const ASYNC_GENERATOR = 'Object.getPrototypeOf(Object.getPrototypeOf((async function* () {})()))'

/** Runs `look`, which must not close over anything, on every living object whose prototype chain holds `prototype`. */
async function ofKind<T>(
  cdp: CDPSession,
  prototype: string,
  look: (this: unknown[], wanted: readonly string[]) => T,
  wanted: readonly string[] = [],
): Promise<T> {
  const objectGroup = 'sidemind-look'
  const { result } = await cdp.send('Runtime.evaluate', { expression: prototype, objectGroup })
  if (result.objectId === undefined) throw new Error(`nothing in the page is ${prototype}`)
  const { objects } = await cdp.send('Runtime.queryObjects', { prototypeObjectId: result.objectId, objectGroup })
  if (objects.objectId === undefined) throw new Error(`the browser counted no ${prototype}`)
  const { result: told, exceptionDetails } = await cdp.send('Runtime.callFunctionOn', {
    objectId: objects.objectId,
    functionDeclaration: String(look),
    arguments: [{ value: wanted }],
    returnByValue: true,
  })
  await cdp.send('Runtime.releaseObjectGroup', { objectGroup })
  if (exceptionDetails !== undefined) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
  return told.value as T
}

function countAll(this: unknown[]): number {
  return this.length
}

function countDetached(this: unknown[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const node of this as Node[]) {
    // The prototypes themselves are in the list too.
    if (Object.hasOwn(node, 'constructor') || node.isConnected) continue
    const name = node.nodeName.toLowerCase()
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

function countFiled(this: unknown[], wanted: readonly string[]): Record<string, number> {
  const ids = new Set<unknown>(wanted)
  const counts: Record<string, number> = {}
  for (const filing of this as (Map<unknown, unknown> | Set<unknown>)[]) {
    // The prototypes themselves are in the list too.
    if (Object.hasOwn(filing, 'constructor')) continue
    for (const [key, value] of filing.entries()) {
      if (!ids.has(key)) continue
      const what =
        Object(value) === value
          ? Object.keys(value as object)
              .slice(0, 4)
              .join()
          : typeof value
      const name = `${filing.constructor.name} of ${what}`
      counts[name] = (counts[name] ?? 0) + 1
    }
  }
  return counts
}

function countNodes(): number {
  const walker = document.createTreeWalker(document)
  let count = 1
  while (walker.nextNode() !== null) count += 1
  return count
}
