/** Watches, in the page, everything that a model's words become: every element and attribute that ever stands inside a
 *  side's answer, for however short a time, against a list of what may stand there. */
import type { Page } from 'playwright-core'

/** What Markdown may become, and what our own parts around it are made of. */
const ELEMENTS = [
  ...['A', 'BLOCKQUOTE', 'BR', 'CODE', 'DEL', 'EM', 'H1', 'H2', 'H3', 'H4', 'H5', 'H6', 'HR', 'INPUT', 'LI', 'OL', 'P'],
  ...['PRE', 'SECTION', 'STRONG', 'SUP', 'TABLE', 'TBODY', 'TD', 'TH', 'THEAD', 'TR', 'UL', 'DIV', 'SPAN', 'BUTTON'],
]
/** A formula: what MathML says, and nothing in it that links, loads or styles. */
const FORMULA = [
  ...['math', 'mrow', 'mi', 'mo', 'mn', 'ms', 'mtext', 'mspace', 'msup', 'msub', 'msubsup', 'munder', 'mover'],
  ...[
    'munderover',
    'mmultiscripts',
    'mprescripts',
    'none',
    'mfrac',
    'msqrt',
    'mroot',
    'mtable',
    'mtr',
    'mtd',
    'mstyle',
  ],
  ...['mpadded', 'mphantom', 'menclose'],
]
const FORMULA_ATTRIBUTES = [
  ...['display', 'displaystyle', 'mathvariant', 'stretchy', 'fence', 'separator', 'movablelimits', 'accent', 'form'],
  ...['accentunder', 'symmetric', 'largeop', 'scriptlevel', 'columnalign', 'rowalign', 'columnlines', 'rowlines'],
  ...['notation', 'columnspan', 'rowspan', 'frame', 'lspace', 'rspace', 'minsize', 'maxsize', 'width', 'height'],
  ...['depth', 'voffset', 'linethickness', 'columnspacing', 'rowspacing'],
]
/** Icons: only inside a button or a step's row, and nothing in them that loads or moves. */
const DRAWN = ['svg', 'path', 'circle', 'rect', 'line', 'polyline', 'polygon', 'g']
const ATTRIBUTES = [
  ...['class', 'title', 'type', 'checked', 'disabled', 'tabindex', 'role', 'href', 'target', 'rel', 'start', 'style'],
  ...['width', 'height', 'viewBox', 'fill', 'stroke', 'stroke-width', 'stroke-linecap', 'stroke-linejoin', 'd', 'cx'],
  ...['cy', 'r', 'x', 'y', 'x1', 'x2', 'y1', 'y2', 'points', 'rx', 'xmlns', 'focusable'],
]

/** Watches from now on. Call before anything is asked. */
export async function watchAnswers(page: Page): Promise<{ wrong(): Promise<string[]>; seen(): Promise<number> }> {
  await page.evaluate(
    ([elements, drawn, attributes, formula, formulaAttributes]) => {
      const wrong = new Set<string>()
      let seen = 0
      const look = (element: Element): void => {
        seen += 1
        if (element.namespaceURI === 'http://www.w3.org/1998/Math/MathML') {
          if (!formula.includes(element.localName)) wrong.add(`<math ${element.localName}>`)
          for (const { name, value } of element.attributes) {
            if (!formulaAttributes.includes(name)) wrong.add(`<${element.localName} ${name}>`)
            if (!/^[a-z0-9 .%+-]*$/i.test(value)) wrong.add(`${name}: ${value}`)
          }
          return
        }
        const name = element.namespaceURI === 'http://www.w3.org/2000/svg' ? element.localName : element.tagName
        const icon = drawn.includes(name) && element.closest('button, [data-turn] > * > :not(:has(p))') !== null
        if (!elements.includes(name) && !icon) wrong.add(`<${name}>`)
        for (const { name: attribute, value } of element.attributes) {
          const ours = attributes.includes(attribute) || /^(aria|data)-[a-z-]+$/.test(attribute)
          if (!ours) wrong.add(`<${name} ${attribute}>`)
          if (attribute === 'style' && !/^text-align: (left|right|center);$/.test(value)) wrong.add(`style: ${value}`)
          if (attribute === 'href' && !/^(https?:\/\/|mailto:)/i.test(value)) wrong.add(`href: ${value}`)
        }
        if (element instanceof HTMLAnchorElement) {
          if (!['http:', 'https:', 'mailto:'].includes(element.protocol)) wrong.add(`leads to ${element.href}`)
          if (element.target !== '_blank' || element.rel !== 'noopener noreferrer') wrong.add(`opens ${element.href}`)
        }
        if (element instanceof HTMLInputElement && (element.type !== 'checkbox' || !element.disabled))
          wrong.add('a field')
        if (element.shadowRoot !== null) wrong.add(`a shadow in <${name}>`)
      }
      const within = (node: Node): void => {
        if (!(node instanceof Element)) return
        const turn = node.closest('[data-sidemind] [data-turn]')
        const roots = turn === null ? node.querySelectorAll('[data-sidemind] [data-turn]') : [node]
        for (const root of roots) for (const element of [root, ...root.querySelectorAll('*')]) look(element)
      }
      new MutationObserver((records) => {
        for (const { type, target, addedNodes } of records) {
          if (type === 'attributes') within(target)
          for (const node of addedNodes) within(node)
        }
      }).observe(document, { subtree: true, childList: true, attributes: true })
      Object.assign(window, { answers: { wrong, seen: () => seen } })
    },
    [ELEMENTS, DRAWN, ATTRIBUTES, FORMULA, FORMULA_ATTRIBUTES] as const,
  )
  type Watch = { answers: { wrong: Set<string>; seen: () => number } }
  return {
    wrong: () => page.evaluate(() => [...(window as unknown as Watch).answers.wrong]),
    seen: () => page.evaluate(() => (window as unknown as Watch).answers.seen()),
  }
}
