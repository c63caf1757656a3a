/** What the two sides of the lazy half agree on: who draws what of an answer. */

import type { Literal } from 'mdast'
import type { ComponentType, ReactNode } from 'react'

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

/** What is more than words in an answer, drawn by the half that is always there. */
export interface MarkdownParts {
  readonly CodeBlock: ComponentType<{ readonly language: string; readonly text: string }>
  readonly Formula: ComponentType<{ readonly tex: string; readonly display: boolean }>
  readonly RemoteImage: ComponentType<{ readonly url: string; readonly alt: string }>
  readonly Table: ComponentType<{ readonly children: ReactNode }>
  readonly Task: ComponentType<{ readonly done: boolean }>
}

/** `definitions` are link targets that stand elsewhere in the text. Throws RangeError for what is nested too deeply. */
export type DrawMarkdown = (text: string, definitions: string, parts: MarkdownParts) => ReactNode

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
