/** Draws a tree of Markdown. Owns which elements exist: what is not named here cannot stand in an answer (I11). HTML
 *  is the text that it is, links and images are what markdown-safety.ts lets through. */

import { createElement, Fragment } from 'react'
import type { ReactNode } from 'react'
import type { Definition, ListItem, Root, RootContent, Table as TableNode } from 'mdast'
import { CodeBlock } from './CodeBlock.tsx'
import { Formula } from './Formula.tsx'
import type {} from './markdown-nodes.ts'
import { safeImage, safeLink } from './markdown-safety.ts'
import { RemoteImage } from './RemoteImage.tsx'
import { Table } from './Table.tsx'
import { Task } from './Task.tsx'

/** Deeper than this nobody reads, and a browser's stack ends somewhere. */
const DEEPEST = 100

type Targets = ReadonlyMap<string, Definition>

/** @throws RangeError for what is nested too deeply. */
export function drawMarkdown(root: Root): ReactNode[] {
  const targets = new Map<string, Definition>()
  collect(root.children, targets, 0)
  return drawAll(root.children, targets, 0)
}

/** The first definition of a name counts. */
function collect(nodes: readonly RootContent[], targets: Map<string, Definition>, depth: number): void {
  if (depth > DEEPEST) throw new RangeError('nested too deeply')
  for (const node of nodes) {
    if (node.type === 'definition' && !targets.has(node.identifier)) targets.set(node.identifier, node)
    if ('children' in node) collect(node.children, targets, depth + 1)
  }
}

function drawAll(nodes: readonly RootContent[], targets: Targets, depth: number): ReactNode[] {
  return nodes.map((node, index) => <Fragment key={index}>{draw(node, targets, depth)}</Fragment>)
}

function draw(node: RootContent, targets: Targets, depth: number): ReactNode {
  if (depth > DEEPEST) throw new RangeError('nested too deeply')
  const inside = (nodes: readonly RootContent[]): ReactNode[] => drawAll(nodes, targets, depth + 1)
  switch (node.type) {
    case 'text':
      return node.value
    case 'html':
      return depth === 0 ? <p>{node.value}</p> : node.value
    case 'paragraph':
      return <p>{inside(node.children)}</p>
    case 'heading':
      return createElement(`h${node.depth}`, null, ...inside(node.children))
    case 'emphasis':
      return <em>{inside(node.children)}</em>
    case 'strong':
      return <strong>{inside(node.children)}</strong>
    case 'delete':
      return <del>{inside(node.children)}</del>
    case 'break':
      return <br />
    case 'thematicBreak':
      return <hr />
    case 'inlineCode':
      return <code>{node.value}</code>
    case 'formula':
      return <Formula tex={node.value} display={node.display} />
    case 'code':
      return <CodeBlock language={/^\S*/.exec(node.lang ?? '')?.[0] ?? ''} text={node.value} />
    case 'blockquote':
      return <blockquote>{node.children.map((child, index) => drawBlock(child, index, targets, depth))}</blockquote>
    case 'list': {
      const items = node.children.map((item, index) => drawItem(item, index, node.spread === true, targets, depth))
      if (node.ordered !== true) return <ul>{items}</ul>
      return <ol {...(node.start != null && node.start !== 1 ? { start: node.start } : {})}>{items}</ol>
    }
    case 'table':
      return drawTable(node, targets, depth)
    case 'link':
      return anchor(node.url, inside(node.children))
    case 'linkReference':
      return anchor(targets.get(node.identifier)?.url, inside(node.children))
    case 'image':
      return image(node.url, node.alt)
    case 'imageReference':
      return image(targets.get(node.identifier)?.url, node.alt)
    default:
      // Definitions show nothing; other nodes have no syntax here.
      return null
  }
}

/** HTML that stands by itself is a paragraph, inside one it is words. */
function drawBlock(node: RootContent, key: number, targets: Targets, depth: number): ReactNode {
  if (node.type === 'html') return <p key={key}>{node.value}</p>
  return <Fragment key={key}>{draw(node, targets, depth + 1)}</Fragment>
}

function drawItem(item: ListItem, key: number, loose: boolean, targets: Targets, depth: number): ReactNode {
  if (depth > DEEPEST) throw new RangeError('nested too deeply')
  const task = typeof item.checked === 'boolean' ? <Task done={item.checked} /> : null
  const [first, ...rest] = item.children
  const spread = loose || item.spread === true
  const own = first?.type === 'paragraph' ? drawAll(first.children, targets, depth + 2) : null
  return (
    <li key={key}>
      {spread && own !== null ? (
        <p>
          {task}
          {own}
        </p>
      ) : (
        <>
          {task}
          {own}
        </>
      )}
      {(own === null ? item.children : rest).map((child, index) =>
        !spread && child.type === 'paragraph' ? (
          <Fragment key={index}>{drawAll(child.children, targets, depth + 2)}</Fragment>
        ) : (
          drawBlock(child, index, targets, depth + 1)
        ),
      )}
    </li>
  )
}

function drawTable(table: TableNode, targets: Targets, depth: number): ReactNode {
  const [head, ...rows] = table.children
  const cells = (row: TableNode['children'][number] | undefined, tag: 'td' | 'th'): ReactNode[] =>
    (row?.children ?? []).map((cell, index) => {
      const align = table.align?.[index]
      return createElement(
        tag,
        { key: index, ...(align == null ? {} : { style: { textAlign: align } }) },
        ...drawAll(cell.children, targets, depth + 3),
      )
    })
  return (
    <Table>
      <thead>
        <tr>{cells(head, 'th')}</tr>
      </thead>
      {rows.length > 0 && (
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>{cells(row, 'td')}</tr>
          ))}
        </tbody>
      )}
    </Table>
  )
}

function anchor(target: string | undefined, words: ReactNode): ReactNode {
  const url = safeLink(target)
  if (url === null) return words
  return (
    <a href={url} title={url} target="_blank" rel="noopener noreferrer">
      {words}
    </a>
  )
}

function image(target: string | undefined, alt: string | null | undefined): ReactNode {
  const url = safeImage(target)
  return url === null ? (alt ?? '') : <RemoteImage url={url} alt={alt ?? ''} />
}
