/** Writes the types of an entry as one file that names no package: what the compiler declares of the modules behind it, only
 *  what is reached, and `Operations` written out. */
import { relative, resolve } from 'node:path'
import type { Plugin } from 'rollup'
import ts from 'typescript'

/** A type that is computed from shapes of a validator, which nobody has who reads the declarations. */
const WRITTEN_OUT = 'Operations'

/** @returns a rollup plugin that puts `fileName` beside the bundle. */
export function declarations(tsconfig: string, fileName: string): Plugin {
  return {
    name: 'declarations',
    async generateBundle(_options, bundle) {
      const entry = Object.values(bundle).find((chunk) => chunk.type === 'chunk' && chunk.isEntry)
      if (entry?.type !== 'chunk' || entry.facadeModuleId === null) return
      this.emitFile({ type: 'asset', fileName, source: declarationsOf(entry.facadeModuleId, tsconfig) })
    },
  }
}

/** @throws when a name is declared twice, or something of a package is reached. */
export function declarationsOf(entry: string, tsconfig: string): string {
  const { config } = ts.readConfigFile(tsconfig, (path) => ts.sys.readFile(path)) as { config: object }
  const { options } = ts.parseJsonConfigFileContent(
    { ...config, include: [], files: [entry] },
    ts.sys,
    resolve(tsconfig, '..'),
  )
  const program = ts.createProgram([entry], {
    ...options,
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    noCheck: true,
    rewriteRelativeImportExtensions: false,
  })
  const emitted = new Map<string, ts.SourceFile>()
  program.emit(undefined, (path, text) =>
    emitted.set(resolve(path), ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)),
  )

  const declared = new Map<string, ts.Statement>()
  const ownExports: string[] = []
  const declare = (name: string, statement: ts.Statement): void => {
    if (declared.has(name)) throw new Error(`${fileOf(statement)} declares ${name} once more`)
    declared.set(name, statement)
  }
  const main = resolve(entry.replace(/\.ts$/, '.d.ts'))
  const files = new Set([main])
  for (const path of files) {
    const file = emitted.get(path)
    if (file === undefined) throw new Error(`nothing is declared in ${relative('.', path)}`)
    const named = file.statements.flatMap(namesOf)
    for (const [name, statement] of named) declare(name, statement)
    if (named.some(([name]) => name === WRITTEN_OUT)) continue
    for (const statement of file.statements) {
      if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) continue
      if (path === main && ts.isExportDeclaration(statement))
        ownExports.push(`export ${statement.isTypeOnly ? 'type ' : ''}${statement.exportClause?.getText() ?? '*'}`)
      const { moduleSpecifier } = statement
      if (moduleSpecifier === undefined || !ts.isStringLiteral(moduleSpecifier)) continue
      if (!moduleSpecifier.text.startsWith('.')) throw new Error(`${fileOf(statement)} names ${moduleSpecifier.text}`)
      files.add(resolve(path, '..', moduleSpecifier.text.replace(/\.ts$/, '.d.ts')))
    }
  }

  const written = [...ownExports]
  const reached = new Set<string>()
  const reach = (name: string): void => {
    const statement = declared.get(name)
    if (statement === undefined || reached.has(name)) return
    reached.add(name)
    if (name === WRITTEN_OUT) return void written.push(writtenOut(program))
    // The comment of a declaration comes with it, the one that opens the file does not.
    const comment = ts.getJSDocCommentsAndTags(statement).at(-1)
    const from = comment?.getStart() || statement.getStart()
    written.push(
      statement
        .getSourceFile()
        .text.slice(from, statement.end)
        .replace(/^(\/\*\*.*?\*\/\s*)?export /s, '$1'),
    )
    visit(statement, reach)
  }
  for (const [name] of ownExports.join(' ').matchAll(/\w+/g)) reach(name)
  return `${written.map((text) => text.replace(/^(\/\*\*.*?\*\/\s*)?(const|class|function) /s, '$1declare $2 ')).join('\n')}\n`
}

function namesOf(statement: ts.Statement): [string, ts.Statement][] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => [name.getText(), statement])
  const isNamed =
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isFunctionDeclaration(statement)
  return isNamed && statement.name !== undefined ? [[statement.name.text, statement]] : []
}

function visit(node: ts.Node, found: (name: string) => void): void {
  if (ts.isIdentifier(node)) found(node.text)
  ts.forEachChild(node, (child) => visit(child, found))
}

function writtenOut(program: ts.Program): string {
  const checker = program.getTypeChecker()
  for (const file of program.getSourceFiles()) {
    const statement = file.isDeclarationFile
      ? undefined
      : file.statements.find((one) => ts.isTypeAliasDeclaration(one) && one.name.text === WRITTEN_OUT)
    if (statement === undefined || !ts.isTypeAliasDeclaration(statement)) continue
    let flags = ts.NodeBuilderFlags.NoTruncation
    flags |= ts.NodeBuilderFlags.InTypeAlias
    flags |= ts.NodeBuilderFlags.MultilineObjectLiterals
    const shape = checker.typeToTypeNode(checker.getTypeAtLocation(statement), undefined, flags)
    if (shape === undefined) break
    const text = ts.createPrinter().printNode(ts.EmitHint.Unspecified, shape, file)
    return `/** What every operation takes and answers. */\ntype ${WRITTEN_OUT} = ${text};`
  }
  throw new Error(`nothing is called ${WRITTEN_OUT}`)
}

function fileOf(node: ts.Node): string {
  return relative('.', node.getSourceFile().fileName)
}
