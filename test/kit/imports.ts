/** What a source file asks other modules for, and which words it must not hold. Reads the syntax tree, so that comments and
 *  strings do not count. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import ts from 'typescript'

/** A file by its path from the repository's root, with `/` on every system. */
export interface SourceFile {
  path: string
  text: string
}

/** One module that a file names: statically, dynamically, in a re-export or inside of a type. */
export interface Import {
  /** As written. */
  name: string
  /** Nothing of it is left when the code runs. */
  typeOnly: boolean
  line: number
}

/** Every file under `folder` (from the repository's root). */
export async function filesIn(root: string, folder: string): Promise<SourceFile[]> {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const files = paths.toSorted().map(async (path) => ({
    path: path.slice(root.length + 1).replaceAll('\\', '/'),
    text: await readFile(path, 'utf8'),
  }))
  return Promise.all(files)
}

/** Whether TypeScript reads this file. */
export function isCode(path: string): boolean {
  return /\.tsx?$/.test(path)
}

export function importsOf(file: SourceFile): Import[] {
  const found: Import[] = []
  const source = parse(file)
  const note = (node: ts.Node, name: ts.Node | undefined, typeOnly: boolean): void => {
    if (name === undefined || !ts.isStringLiteralLike(name)) return
    found.push({ name: name.text, typeOnly, line: lineOf(source, node) })
  }
  visit(source, (node) => {
    if (ts.isImportDeclaration(node)) note(node, node.moduleSpecifier, isTypeImport(node.importClause))
    else if (ts.isExportDeclaration(node)) note(node, node.moduleSpecifier, node.isTypeOnly)
    else if (ts.isImportTypeNode(node))
      note(node, ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined, true)
    else if (ts.isCallExpression(node) && isModuleCall(node.expression)) note(node, node.arguments[0], false)
  })
  return found
}

/** Lines on which `any` is written as a type, or `console` is used. */
export function forbiddenWords(file: SourceFile): { word: 'any' | 'console'; line: number }[] {
  const found: { word: 'any' | 'console'; line: number }[] = []
  const source = parse(file)
  visit(source, (node) => {
    if (node.kind === ts.SyntaxKind.AnyKeyword) found.push({ word: 'any', line: lineOf(source, node) })
    else if (ts.isIdentifier(node) && node.text === 'console')
      found.push({ word: 'console', line: lineOf(source, node) })
  })
  return found
}

function parse(file: SourceFile): ts.SourceFile {
  const kind = file.path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  return ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest, true, kind)
}

function visit(node: ts.Node, look: (node: ts.Node) => void): void {
  look(node)
  ts.forEachChild(node, (child) => visit(child, look))
}

function lineOf(source: ts.SourceFile, node: ts.Node): number {
  return source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1
}

/** `import type …`, or only `type` names: both are gone at run time, because the build keeps no unused import. */
function isTypeImport(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return false
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true
  const names = clause.namedBindings
  if (clause.name !== undefined || names === undefined || !ts.isNamedImports(names)) return false
  return names.elements.length > 0 && names.elements.every((element) => element.isTypeOnly)
}

function isModuleCall(callee: ts.Expression): boolean {
  return callee.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(callee) && callee.text === 'require')
}
