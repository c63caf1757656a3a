/** GitHub's Markdown for reading only: tables, task lists, strikethrough, bare links. The same syntax packages as
 *  remark-gfm without its serializers, which would be a fifth of the client bundle. No footnotes. */

import { gfmAutolinkLiteralFromMarkdown } from 'mdast-util-gfm-autolink-literal'
import { gfmStrikethroughFromMarkdown } from 'mdast-util-gfm-strikethrough'
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table'
import { gfmTaskListItemFromMarkdown } from 'mdast-util-gfm-task-list-item'
import { gfmAutolinkLiteral } from 'micromark-extension-gfm-autolink-literal'
import { gfmStrikethrough } from 'micromark-extension-gfm-strikethrough'
import { gfmTable } from 'micromark-extension-gfm-table'
import { gfmTaskListItem } from 'micromark-extension-gfm-task-list-item'

interface Parser {
  data(): Record<string, unknown>
}

/** A remark plugin. */
export function gfm(this: Parser): undefined {
  const data = this.data()
  const add = (key: string, extensions: readonly unknown[]): void => {
    data[key] = [...((data[key] as readonly unknown[] | undefined) ?? []), ...extensions]
  }
  add('micromarkExtensions', [gfmAutolinkLiteral(), gfmStrikethrough(), gfmTable(), gfmTaskListItem()])
  add('fromMarkdownExtensions', [
    gfmAutolinkLiteralFromMarkdown(),
    gfmStrikethroughFromMarkdown(),
    gfmTableFromMarkdown(),
    gfmTaskListItemFromMarkdown(),
  ])
}
