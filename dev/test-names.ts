/** The names of the tests in `test/`, read from their source: literal ones, as far as a template's first hole. What is skipped
 *  or left to do has no name here. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import ts from 'typescript'

import { ROOT } from './run-tool.ts'

export interface TestName {
  /** From the repository's root. */
  readonly file: string
  readonly name: string
}

/** @param declares functions whose first argument is such a name, `it.each(table)` counts as `it`. */
export async function testNames(declares: ReadonlySet<string>): Promise<readonly TestName[]> {
  const files = (await readdir(join(ROOT, 'test'), { recursive: true }))
    .filter((name) => /\.tsx?$/.test(name) && !name.includes('fixture'))
    .toSorted()
  const found: TestName[] = []
  for (const name of files) {
    const file = `test/${name}`
    const source = ts.createSourceFile(file, await readFile(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest)
    found.push(...namesIn(source, declares).map((one) => ({ file, name: one })))
  }
  return found
}

function namesIn(file: ts.Node, declares: ReadonlySet<string>): readonly string[] {
  const names: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const [name] = node.arguments
      const words = calleeOf(node.expression)
      if (declares.has(words[0] ?? '') && !words.some((word) => word === 'skip' || word === 'todo')) {
        if (name !== undefined && ts.isStringLiteralLike(name)) names.push(name.text)
        else if (name !== undefined && ts.isTemplateExpression(name)) names.push(name.head.text)
      }
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return names
}

/** `it.each(table)` reads `['it', 'each']`. */
function calleeOf(expression: ts.Expression): readonly string[] {
  if (ts.isIdentifier(expression)) return [expression.text]
  if (ts.isPropertyAccessExpression(expression)) return [...calleeOf(expression.expression), expression.name.text]
  return ts.isCallExpression(expression) ? calleeOf(expression.expression) : []
}
