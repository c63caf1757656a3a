/** Which text of a conversation is selected, for what can be done with it: of main's transcript, streaming text too, or
 *  of an answer of ours. Never of a text field, nor of anything else on the page.
 *
 *  Text that is still being written takes the selection along: the host replaces the node, and the browser drops the
 *  range. What had been selected stays picked then, until the person does something else. */

/** A rectangle in viewport pixels. */
export interface PickBox {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

export interface Pick {
  readonly text: string
  /** The side whose answer it is; null in main's transcript. */
  readonly sideId: string | null
  readonly box: PickBox
  /** By touch, where the browser has its own bar above. */
  readonly touch: boolean
}

export interface SelectionWatch {
  subscribe(listener: () => void): () => void
  /** The same value until something changed. */
  current(): Pick | null
  /** The person is done with it, or left. */
  clear(): void
}

const MAIN = '[data-chat-flow]'
const ANSWER = '[data-sidemind] [data-answer]'
const FIELD = 'input, textarea, select, [contenteditable]:not([contenteditable="false"])'
/** Our own bar: pressing it is no other business of the person's. */
const BAR = '[data-pick]'
/** A selection that grows by keys or by a finger is looked at when it rests. */
const REST_MS = 150

/** Watches the page while somebody is subscribed. */
export function watchSelection(page: Document): SelectionWatch {
  const listeners = new Set<() => void>()
  let pick: Pick | null = null
  let zone: Element | null = null
  /** The person did something since the last look: a selection that is gone was given up. */
  let acted = false
  let dragging = false
  let touch = false
  let timer: ReturnType<typeof setTimeout> | undefined

  function set(next: Pick | null): void {
    if (next === pick || (next !== null && pick !== null && samePick(next, pick))) return
    pick = next
    for (const listener of listeners) listener()
  }

  function look(): void {
    if (dragging) return
    const found = readSelection(page)
    if (found !== null) {
      acted = false
      zone = found.zone
      set({ text: found.text, sideId: found.sideId, box: found.box, touch })
    } else if (acted || zone?.isConnected !== true) set(null)
  }

  function later(ms: number): void {
    clearTimeout(timer)
    timer = setTimeout(look, ms)
  }

  const onSelection = (): void => later(REST_MS)
  const onDown = (event: PointerEvent): void => {
    if (isIn(event.target, BAR)) return
    acted = true
    touch = event.pointerType === 'touch'
    dragging = !touch
  }
  const onUp = (event: PointerEvent): void => {
    if (isIn(event.target, BAR)) return
    dragging = false
    // After the browser has put the selection where the press ended.
    later(0)
  }
  const onKey = (event: KeyboardEvent): void => {
    if (isIn(event.target, BAR)) return
    if (event.key === 'Tab' && !event.shiftKey && !event.ctrlKey && !event.altKey && !event.metaKey && pick !== null) {
      // The next stop after the selection; from a field or a button it goes on as ever.
      const { activeElement } = page
      const free = activeElement === null || activeElement === page.body || activeElement.contains(zone)
      const first = page.querySelector<HTMLElement>(`${BAR} button`)
      if (free && first !== null) {
        event.preventDefault()
        first.focus()
        return
      }
    }
    acted = true
    later(REST_MS)
  }
  const onMove = (): void => {
    if (pick === null || dragging) return
    const found = readSelection(page)
    if (found !== null) set({ ...pick, box: found.box })
  }

  function start(): void {
    page.addEventListener('selectionchange', onSelection)
    page.addEventListener('pointerdown', onDown, true)
    page.addEventListener('pointerup', onUp, true)
    page.addEventListener('pointercancel', onUp, true)
    page.addEventListener('keydown', onKey, true)
    page.addEventListener('scroll', onMove, { capture: true, passive: true })
    window.addEventListener('resize', onMove)
  }
  function stop(): void {
    clearTimeout(timer)
    page.removeEventListener('selectionchange', onSelection)
    page.removeEventListener('pointerdown', onDown, true)
    page.removeEventListener('pointerup', onUp, true)
    page.removeEventListener('pointercancel', onUp, true)
    page.removeEventListener('keydown', onKey, true)
    page.removeEventListener('scroll', onMove, { capture: true })
    window.removeEventListener('resize', onMove)
  }

  return {
    subscribe(listener) {
      const entry = (): void => listener()
      if (listeners.size === 0) start()
      listeners.add(entry)
      return () => {
        listeners.delete(entry)
        if (listeners.size === 0) stop()
      }
    },
    current: () => pick,
    clear() {
      clearTimeout(timer)
      set(null)
    },
  }
}

interface Found {
  readonly text: string
  readonly sideId: string | null
  readonly box: PickBox
  readonly zone: Element
}

/** What is selected now, if it can be quoted. */
export function readSelection(page: Document): Found | null {
  const selection = page.getSelection()
  if (selection === null || selection.isCollapsed || selection.rangeCount === 0) return null
  const range = selection.getRangeAt(0)
  const zone = zoneOf(range.startContainer) ?? zoneOf(range.endContainer)
  if (zone === null) return null
  const whole = zone.contains(range.startContainer) && zone.contains(range.endContainer)
  const text = whole ? selection.toString() : within(range, zone).toString()
  if (text.trim() === '') return null
  const shown = whole ? range : within(range, zone)
  const { left, top, right, bottom } = shown.getBoundingClientRect()
  const sideId = zone.matches(MAIN) ? null : (zone.closest<HTMLElement>('[data-side]')?.dataset['side'] ?? null)
  return { text, sideId, box: { left, top, right, bottom }, zone }
}

/** Main's transcript or one answer of ours around `node`; null in a field, and in whatever else is ours. */
function zoneOf(node: Node): Element | null {
  const element = node instanceof Element ? node : node.parentElement
  if (element === null || element.closest(FIELD) !== null) return null
  const answer = element.closest(ANSWER)
  if (answer !== null) return answer
  return element.closest('[data-sidemind]') === null ? element.closest(MAIN) : null
}

/** The part of `range` in `zone`: a drag often ends beside the text. */
function within(range: Range, zone: Element): Range {
  const part = range.cloneRange()
  if (!zone.contains(range.startContainer)) part.setStart(zone, 0)
  if (!zone.contains(range.endContainer)) part.setEnd(zone, zone.childNodes.length)
  return part
}

function isIn(target: EventTarget | null, selector: string): boolean {
  return target instanceof Element && target.closest(selector) !== null
}

function samePick(left: Pick, right: Pick): boolean {
  const box = (pick: Pick): string => JSON.stringify(pick.box)
  return (
    left.text === right.text && left.sideId === right.sideId && left.touch === right.touch && box(left) === box(right)
  )
}
