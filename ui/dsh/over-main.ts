/** Keeps the end of main's transcript within reach while a card or a sheet of ours stands over it: the page's root says how tall the
 *  tallest of them is, and `host.css` lets the transcript scroll that much further. */

const GAP = 8
const ROOM = '--sm-room'
const heights = new Map<Element, number>()

const observer =
  typeof ResizeObserver === 'undefined'
    ? null
    : new ResizeObserver((entries) => {
        for (const { target } of entries)
          if (heights.has(target)) heights.set(target, (target as HTMLElement).offsetHeight)
        tell()
      })

function tell(): void {
  const root = document.documentElement
  const most = Math.max(0, ...heights.values())
  root.toggleAttribute('data-sidemind-room', most > 0)
  if (most > 0) root.style.setProperty(ROOM, `${most + GAP}px`)
  else root.style.removeProperty(ROOM)
}

/** Makes room for this element, however tall it becomes. @returns the undo. */
export function overMain(element: HTMLElement): () => void {
  heights.set(element, element.offsetHeight)
  observer?.observe(element)
  tell()
  return () => {
    observer?.unobserve(element)
    heights.delete(element)
    tell()
  }
}
