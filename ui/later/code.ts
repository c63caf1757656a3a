/** Colours code: the words of a language, by what they mean. Loaded on first use; gives runs of text and never markup. */

import bash from 'highlight.js/lib/languages/bash'
import c from 'highlight.js/lib/languages/c'
import cpp from 'highlight.js/lib/languages/cpp'
import csharp from 'highlight.js/lib/languages/csharp'
import css from 'highlight.js/lib/languages/css'
import diff from 'highlight.js/lib/languages/diff'
import dockerfile from 'highlight.js/lib/languages/dockerfile'
import go from 'highlight.js/lib/languages/go'
import graphql from 'highlight.js/lib/languages/graphql'
import ini from 'highlight.js/lib/languages/ini'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import kotlin from 'highlight.js/lib/languages/kotlin'
import lua from 'highlight.js/lib/languages/lua'
import makefile from 'highlight.js/lib/languages/makefile'
import markdown from 'highlight.js/lib/languages/markdown'
import php from 'highlight.js/lib/languages/php'
import powershell from 'highlight.js/lib/languages/powershell'
import python from 'highlight.js/lib/languages/python'
import ruby from 'highlight.js/lib/languages/ruby'
import rust from 'highlight.js/lib/languages/rust'
import scss from 'highlight.js/lib/languages/scss'
import shell from 'highlight.js/lib/languages/shell'
import sql from 'highlight.js/lib/languages/sql'
import swift from 'highlight.js/lib/languages/swift'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import { createLowlight } from 'lowlight'
import type { CodeKind, CodeRun, HighlightCode } from '../parts/markdown-nodes.ts'

const known = createLowlight({
  ...{ bash, c, cpp, csharp, css, diff, dockerfile, go, graphql, ini, java, javascript, json, kotlin, lua, makefile },
  ...{ markdown, php, powershell, python, ruby, rust, scss, shell, sql, swift, typescript, xml, yaml },
})
known.registerAlias({ json: ['jsonc', 'json5'], ini: ['toml'], markdown: ['mdx'], xml: ['vue'] })

type Node = ReturnType<typeof known.highlight>['children'][number]

const KINDS: Readonly<Record<string, CodeKind>> = {
  ...{ keyword: 'keyword', literal: 'number', number: 'number', symbol: 'number', string: 'string', regexp: 'string' },
  ...{ comment: 'comment', quote: 'comment', doctag: 'comment', title: 'name', section: 'name', name: 'keyword' },
  ...{
    type: 'type',
    built_in: 'type',
    class: 'type',
    attr: 'attribute',
    attribute: 'attribute',
    property: 'attribute',
  },
  ...{ variable: 'attribute', 'template-variable': 'attribute', 'selector-class': 'type', 'selector-id': 'type' },
  ...{ 'selector-tag': 'keyword', 'selector-attr': 'attribute', 'selector-pseudo': 'attribute', link: 'string' },
  ...{ meta: 'comment', bullet: 'number', code: 'string', addition: 'added', deletion: 'removed', subst: '' },
}

export const highlight: HighlightCode = (code, language) => {
  const name = language.toLowerCase()
  if (!known.registered(name)) return null
  const runs: CodeRun[] = []
  for (const node of known.highlight(name, code).children) collect(node, '', runs)
  return runs
}

/** A run within another has its own meaning, or that of what it stands in. */
function collect(node: Node, kind: CodeKind, runs: CodeRun[]): void {
  if (node.type === 'text') runs.push({ kind, text: node.value })
  if (node.type !== 'element') return
  const [scope] = [node.properties['className']].flat()
  const name = (scope ?? '').replace(/^hljs-/, '')
  const own = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined
  for (const child of node.children) collect(child, own ?? kind, runs)
}
