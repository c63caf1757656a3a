/** Formulas: what is one, what is money, and that a hostile one is harmless (I11). */

import { act } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { treeOf } from '../../ui/later/math-tree.ts'
import { drawMath } from '../../ui/later/formula-elements.ts'
import { supplyLater } from '../../ui/parts/later.ts'
import { Markdown } from '../../ui/parts/Markdown.tsx'
import * as math from '../../ui/later/math.ts'
import { mount } from './mount.tsx'

const formulas = (text: string): Element[] => [...mount(<Markdown text={text} />).container.querySelectorAll('math')]

describe('formulas', () => {
  it.each([
    ['$x^2$', 1],
    ['a $x$, b $y$.', 2],
    ['\\(x_1 * y * 2\\) and \\[a = b\\]', 2],
    ['$$\\frac{a}{b}$$', 1],
    ['$$\na\n+ b\n$$', 1],
    ['\\[\na\n= b\n\\]', 1],
    ['As follows:\n\\[\na\n- b\n\\]\nwhere\n$$\nb\n> c\n$$\nis so.', 2],
    ['- in $x$\n- a list\n\n> and $y$ in a quote', 2],
    ['| $a$ |\n|---|\n| $b$ |', 2],
  ])('are set: %j', (text, count) => {
    expect(formulas(text)).toHaveLength(count)
  })

  it.each([
    'from $5 and $10',
    'between $5 and A$ x',
    '$10-$20, or US$30',
    'it costs $5, $6 or even $7.50',
    '$HOME/$USER and $PATH:$X',
    'a \\$x$ b',
    '`$x$` and ``\\(y\\)``',
    '```\n$x$\n```',
    'price$ x$',
    '$ x $',
    '$$ never closed',
    '\\(neither',
  ])('are not: %j', (text) => {
    expect(formulas(text)).toHaveLength(0)
  })

  it('stand in the middle when they are displayed', () => {
    const [inline, display] = formulas('$x$ and\n\n$$y$$')
    expect(inline?.getAttribute('display')).not.toBe('block')
    expect(display?.getAttribute('display')).toBe('block')
    expect(display?.namespaceURI).toBe('http://www.w3.org/1998/Math/MathML')
  })

  it('are their source where they cannot be set', () => {
    const { container } = mount(<Markdown text={'bad $\\frac{a$ formula'} />)
    expect(container.querySelector('math')).toBeNull()
    expect(container.querySelector('code')?.textContent).toBe('\\frac{a')
  })

  it('are their source without the part that sets them', () => {
    supplyLater('math', null)
    const { container } = mount(<Markdown text={'so $x^2$ it is'} />)
    const source = container.querySelector('code')?.textContent
    act(() => supplyLater('math', math))
    expect(source).toBe('x^2')
    expect(container.querySelector('math')).toBeTruthy()
  })
})

describe('[I11] a hostile formula', () => {
  it.each([
    '\\href{javascript:alert(1)}{x}',
    '\\url{javascript:alert(1)}',
    '\\includegraphics{https://evil.test/x.png}',
    '\\htmlData{a=b}{x}',
    '\\htmlId{x}{y}',
    '\\htmlClass{x}{y}',
    '\\htmlStyle{position:fixed}{y}',
    '\\class{x}{y} \\id{x}{y} \\style{position:fixed}{y}',
    '\\text{<img src=x onerror=alert(1)>}',
    '\\text{</math><script>alert(1)</script>}',
    '\\color{red;background:url(https://evil.test)}{x}',
    '\\textcolor{url(https://evil.test)}{x}',
    '\\ref{x} \\label{x} \\tag{<b>x</b>}',
    '\\unicode{<img>} \\char"3C',
  ])('links, loads and styles nothing: %s', (tex) => {
    const { container } = mount(<Markdown text={`$$${tex}$$`} />)
    expect(container.querySelector('a, img, script, style, mglyph, maction, annotation-xml')).toBeNull()
    for (const element of container.querySelectorAll('.markdown *'))
      for (const { name } of element.attributes)
        expect(['href', 'xlink:href', 'src', 'style', 'id', 'data-a', 'background']).not.toContain(name)
  })

  it.each([
    ['a macro of itself', '\\def\\a{\\a}\\a'],
    [
      'a macro that doubles',
      '\\def\\a{xx}\\def\\b{\\a\\a}\\def\\c{\\b\\b}\\def\\d{\\c\\c}\\def\\e{\\d\\d}'.concat('\\e'.repeat(200)),
    ],
    ['thousands of groups', `${'{'.repeat(1_900)}x${'}'.repeat(1_900)}`],
    ['thousands of powers', 'x^{'.repeat(900).concat('x', '}'.repeat(900))],
    ['too long a source', 'x'.repeat(5_000)],
    ['ten thousand cells', `\\begin{matrix}${'a&'.repeat(1_900)}\\end{matrix}`],
  ])('is not set when it would be too much: %s', (_, tex) => {
    const tree = treeOf(tex, true)
    expect(tree === null ? null : drawMath(tree)).toBeNull()
  })

  it('keeps its macros to itself', () => {
    expect(treeOf('\\gdef\\mine{x}\\mine', false)).not.toBeNull()
    expect(treeOf('\\mine', false)).toBeNull()
  })

  it('stays within its line, however far it wants to go', () => {
    const { container } = mount(
      <Markdown text={'$$\\hspace{-900em}x\\kern{500em}\\rule{1000em}{1000em}\\raisebox{300em}{y}$$'} />,
    )
    const lengths = [...container.querySelectorAll('math *')].flatMap((element) =>
      [...element.attributes].map(({ value }) => Number.parseFloat(value)).filter((value) => !Number.isNaN(value)),
    )
    for (const length of lengths) {
      expect(length).toBeLessThanOrEqual(30)
      expect(length).toBeGreaterThanOrEqual(-2)
    }
  })
})
