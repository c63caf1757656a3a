/** The tree that Markdown is read into, as the two sides of its lazy half agree on it. */

import type { Literal, Root } from 'mdast'

/** A formula in TeX. */
export interface FormulaNode extends Literal {
  readonly type: 'formula'
  readonly display: boolean
}

declare module 'mdast' {
  interface RootContentMap {
    formula: FormulaNode
  }
  interface PhrasingContentMap {
    formula: FormulaNode
  }
}

/** `definitions` are link targets that stand elsewhere in the text. Never throws for what a text holds, short of
 *  nesting that overflows the stack. */
export type ParseMarkdown = (text: string, definitions: string) => Root

/** A run of code of one meaning; '' is everything without one. */
export interface CodeRun {
  readonly kind: CodeKind
  readonly text: string
}
export type CodeKind =
  | ''
  | 'keyword'
  | 'string'
  | 'number'
  | 'comment'
  | 'name'
  | 'type'
  | 'attribute'
  | 'added'
  | 'removed'

/** The runs of `code`, which joined are `code`; null for a language that is not known. */
export type HighlightCode = (code: string, language: string) => readonly CodeRun[] | null

/** An element of MathML as plain data. Nothing of it is trusted: formula-elements.tsx decides what is drawn. */
export interface MathNode {
  readonly tag: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly (MathNode | string)[]
}

/** Null for what is no formula. */
export type DrawFormula = (tex: string, display: boolean) => MathNode | null
