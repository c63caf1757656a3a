/** Model text as Markdown. Owns safety (markdown-safety.ts) and cheapness: a finished block is rendered once, however
 *  long the answer behind it grows. */

import { Children, Component, isValidElement, memo, useState } from 'react'
import type { JSX, ReactNode } from 'react'
import ReactMarkdown from 'react-markdown'
import type { Components, Options } from 'react-markdown'
import rehypeSanitize from 'rehype-sanitize'
import { gfm } from './gfm.ts'
import { CodeBlock } from './CodeBlock.tsx'
import { createCutter, openFence } from './markdown-blocks.ts'
import { RemoteImage } from './RemoteImage.tsx'
import { rawAsText, safeImage, safeLink, schema } from './markdown-safety.ts'
import { useT } from './surface.tsx'
import css from './Markdown.module.css'

export function Markdown({ text }: { readonly text: string }): JSX.Element {
  const [cut] = useState(createCutter)
  return (
    <div className={css['markdown']}>
      {cut(text).map((block, index) => (
        // A block never moves: what comes later is appended.
        <Block key={index} text={block} />
      ))}
    </div>
  )
}

const remarkPlugins: Options['remarkPlugins'] = [gfm as NonNullable<Options['remarkPlugins']>[number]]
const rehypePlugins: Options['rehypePlugins'] = [rawAsText, [rehypeSanitize, schema]]

const components: Components = {
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
}

const Block = memo(function Block({ text }: { readonly text: string }): JSX.Element {
  const code = openFence(text)
  if (code !== null) return <CodeBlock {...code} />
  return (
    <OrText text={text}>
      <ReactMarkdown remarkPlugins={remarkPlugins} rehypePlugins={rehypePlugins} components={components}>
        {text}
      </ReactMarkdown>
    </OrText>
  )
})

/** A block that cannot be drawn (one nested thousands deep overflows the stack) stays the text that it is, for good,
 *  instead of taking the whole surface with it. */
class OrText extends Component<{ readonly text: string; readonly children: ReactNode }, { readonly failed: boolean }> {
  static getDerivedStateFromError(): { readonly failed: boolean } {
    return { failed: true }
  }

  override readonly state = { failed: false }

  override render(): ReactNode {
    return this.state.failed ? <CodeBlock language="" text={this.props.text.trimEnd()} /> : this.props.children
  }
}

/** The box of a task list: Markdown makes no other field. */
function Task({ done }: { readonly done: boolean }): JSX.Element {
  const t = useT()
  return <input type="checkbox" checked={done} disabled aria-label={t(done ? 'markdown.done' : 'markdown.open')} />
}

/** Wide tables scroll by themselves; focusable, so that the keyboard can scroll them. */
function Table({ children }: { readonly children: ReactNode }): JSX.Element {
  const t = useT()
  return (
    <div className={css['table']} role="region" aria-label={t('markdown.table')} tabIndex={0}>
      <table>{children}</table>
    </div>
  )
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
