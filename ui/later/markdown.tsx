/** Reads and draws Markdown. Loaded on first use, with the page's React. Owns which elements exist: what the schema does not
 *  name cannot stand in an answer (I11), and what is more than words is drawn by the parts that it is given. */

import { Children, isValidElement } from 'react'
import type { ReactElement, ReactNode } from 'react'
import ReactMarkdown from 'react-markdown'
import type { Components, Options } from 'react-markdown'
import type { Extension } from 'micromark-util-types'
import rehypeSanitize from 'rehype-sanitize'
import type { DrawMarkdown, FormulaNode, MarkdownParts } from '../parts/markdown-nodes.ts'
import { isDense, isDeep } from './dense.ts'
import { formulaNodes, formulaSyntax } from './formula-syntax.ts'
import { bareLinks, nodes, syntax } from './gfm.ts'
import { notTooDeep, rawAsText, safeImage, safeLink, schema } from './markdown-safety.ts'

export { copySelection } from './copy-selection.ts'
export { formulaOf } from './formula-block.ts'
export { targetsFor } from './targets.ts'

/** Everything inside a paragraph whose reading grows with the square of its length. */
const plainWords: Extension = {
  disable: {
    null: [
      ...['attention', 'autolink', 'codeText', 'htmlText', 'labelEnd', 'labelStartImage', 'labelStartLink'],
      ...['strikethrough', 'formula', 'emailAutolink', 'protocolAutolink', 'wwwAutolink'],
    ],
  },
}

type Plugins = NonNullable<Options['remarkPlugins']>

interface Parser {
  data(): Record<string, unknown>
}

/** A remark plugin that adds syntax and its nodes. */
function reads(micromarkExtensions: readonly unknown[], fromMarkdownExtensions: readonly unknown[]): Plugins {
  return [
    function syntaxes(this: Parser): undefined {
      Object.assign(this.data(), { micromarkExtensions, fromMarkdownExtensions })
    } as Plugins[number],
  ]
}

const ORDINARY = reads([...syntax, formulaSyntax], [...nodes, formulaNodes, bareLinks])
const DENSE = reads([...syntax, formulaSyntax, plainWords], [...nodes, formulaNodes])
const rehypePlugins: Options['rehypePlugins'] = [notTooDeep, rawAsText, [rehypeSanitize, schema]]
/** A formula is an element that HTML does not have; who draws it is told by its name. */
const remarkRehypeOptions: Options['remarkRehypeOptions'] = {
  handlers: {
    formula(_state: unknown, { value, display }: FormulaNode) {
      return { type: 'element', tagName: 'formula', properties: { tex: value, block: display }, children: [] }
    },
  },
}
// Addresses are looked at where they are used; the library would make relative ones of the others.
const urlTransform = (url: string): string => url

const drawnBy = new WeakMap<MarkdownParts, Components>()

function componentsOf(parts: MarkdownParts): Components {
  const known = drawnBy.get(parts)
  if (known !== undefined) return known
  const { CodeBlock, Formula, RemoteImage, Table, Task } = parts
  const components: Components & { formula(props: { tex?: string; block?: boolean }): ReactElement } = {
    a({ href, children }) {
      const url = safeLink(href)
      if (url === null) return <>{children}</>
      return (
        <a href={url} title={url} target="_blank" rel="noopener noreferrer">
          {children}
        </a>
      )
    },
    img({ src, alt = '' }) {
      const url = safeImage(typeof src === 'string' ? src : undefined)
      return url === null ? <>{alt}</> : <RemoteImage url={url} alt={alt} />
    },
    pre({ children }) {
      const code = codeOf(children)
      return code === null ? <pre>{children}</pre> : <CodeBlock {...code} />
    },
    input: ({ checked = false }) => <Task done={checked} />,
    table: ({ children }) => <Table>{children}</Table>,
    formula: ({ tex = '', block = false }) => <Formula tex={tex} display={block} />,
  }
  drawnBy.set(parts, components)
  return components
}

export const draw: DrawMarkdown = (text, definitions, parts): ReactNode => {
  if (isDeep(text)) throw new RangeError('nested too deeply')
  // Called as the function that it is: what cannot be read is thrown here, where it is caught.
  return ReactMarkdown({
    children: definitions === '' ? text : `${definitions}\n\n${text}`,
    remarkPlugins: isDense(text) ? DENSE : ORDINARY,
    rehypePlugins,
    remarkRehypeOptions,
    urlTransform,
    components: componentsOf(parts),
  })
}

/** The language and the text of the `code` element that `pre` holds. */
function codeOf(children: ReactNode): { readonly language: string; readonly text: string } | null {
  const [child] = Children.toArray(children)
  if (!isValidElement<{ className?: string; children?: ReactNode }>(child)) return null
  const text = Children.toArray(child.props.children)
    .filter((part) => typeof part === 'string')
    .join('')
  return { language: /language-(\S+)/.exec(child.props.className ?? '')?.[1] ?? '', text: text.replace(/\n$/, '') }
}
