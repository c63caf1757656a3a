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
    const heapUsed = await heapAtRest(cdp)
    const living = await lookAtAll(cdp, ids)
    const { metrics } = await cdp.send('Performance.getMetrics')
    const metric = (name: string): number => metrics.find((one) => one.name === name)?.value ?? NaN
    return {
      heapUsed,
      ...living,
      offPage: metric('Nodes') - (await page.evaluate(countNodes)),
      listeners: metric('JSEventListeners'),
      commands: held.size,
    }
  }
}

/** What finalizers and compiled code that is thrown away leave behind goes in a later round, so: until a round finds next to nothing. */
async function heapAtRest(cdp: CDPSession): Promise<number> {
  let least = Infinity
  for (let round = 0; round < 8; round += 1) {
    await cdp.send('HeapProfiler.collectGarbage')
    const { usedSize } = await cdp.send('Runtime.getHeapUsage')
    if (round > 1 && least - usedSize < NEXT_TO_NOTHING) return Math.min(least, usedSize)
    least = Math.min(least, usedSize)
  }
  return least
}

const NEXT_TO_NOTHING = 20 * 1024

type Living = Pick<PageState, 'detached' | 'streams' | 'aborts' | 'observers' | 'filed'>

/** Looks at every living object once: the browser collects all garbage for each such question, and that is what takes long. */
async function lookAtAll(cdp: CDPSession, wanted: readonly string[]): Promise<Living> {
  const objectGroup = 'sidemind-look'
  const { result } = await cdp.send('Runtime.evaluate', { expression: 'Object.prototype', objectGroup })
  if (result.objectId === undefined) throw new Error('the page has no Object.prototype')
  const { objects } = await cdp.send('Runtime.queryObjects', { prototypeObjectId: result.objectId, objectGroup })
  if (objects.objectId === undefined) throw new Error('the browser counted no objects')
  const { result: told, exceptionDetails } = await cdp.send('Runtime.callFunctionOn', {
    objectId: objects.objectId,
    functionDeclaration: String(countLiving),
    arguments: [{ value: wanted }],
    returnByValue: true,
  })
  await cdp.send('Runtime.releaseObjectGroup', { objectGroup })
  if (exceptionDetails !== undefined) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
  return told.value as Living
}

/** Runs in the page, on all its objects; must not close over anything. */
function countLiving(this: unknown[], wanted: readonly string[]): Living {
  const living: Living = { detached: {}, streams: 0, aborts: 0, observers: 0, filed: {} }
  const ids = new Set<unknown>(wanted)
  const more = (counts: Record<string, number>, name: string): void => void (counts[name] = (counts[name] ?? 0) + 1)
  const named = (value: unknown): string =>
    Object(value) === value
      ? Object.keys(value as object)
          .slice(0, 4)
          .join()
      : typeof value
  const generators = Object.getPrototypeOf(Object.getPrototypeOf((async function* () {})())) as object
  for (const one of this) {
    // The prototypes themselves are among the objects.
    if (Object.hasOwn(one as object, 'constructor')) continue
    if (one instanceof Node) {
      if (!one.isConnected) more(living.detached, one.nodeName.toLowerCase())
    } else if (one instanceof Map || one instanceof Set) {
      for (const [key, value] of one.entries())
        if (ids.has(key)) more(living.filed, `${one.constructor.name} of ${named(value)}`)
    } else if (one instanceof AbortController) living.aborts += 1
    else if (one instanceof ResizeObserver || one instanceof MutationObserver) living.observers += 1
    else if (Object.prototype.isPrototypeOf.call(generators, one as object)) living.streams += 1
  }
  return living
}

function countNodes(): number {
  const walker = document.createTreeWalker(document)
  let count = 1
  while (walker.nextNode() !== null) count += 1
  return count
}
