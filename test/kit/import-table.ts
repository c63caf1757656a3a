/** Checks files against a table of rooms: which room may name what. Knows nothing of this repository's own rooms. */
import { posix } from 'node:path'

import { forbiddenWords, importsOf, isCode, type SourceFile } from './imports.ts'

/**
 * Per room (a folder or a single file; the most specific one counts) what it may import besides itself:
 * - a folder or file of the repository: `src/core`, `src/wire/index.ts`
 * - a package or a family of them: `react`, `node:stream`, `@deepseek-ai/*`
 * - either of them with `types ` in front: only what is gone at run time
 */
export type ImportTable = Readonly<Record<string, readonly string[]>>

/** One line per broken rule, with the file and the import that break it. */
export function brokenImports(files: readonly SourceFile[], table: ImportTable): string[] {
  return files.flatMap((file) => {
    const room = roomOf(file.path, table)
    if (room === undefined) return [`${file.path}: is in no room of the table`]
    if (!isCode(file.path)) return []
    const allowed = [room, ...(table[room] ?? [])]
    return importsOf(file)
      .filter(({ name, typeOnly }) => !allowed.some((rule) => permits(rule, targetOf(file.path, name), typeOnly)))
      .map(({ name, typeOnly, line }) => {
        const target = targetOf(file.path, name)
        const types = !typeOnly && allowed.some((rule) => permits(rule, target, true)) ? ' (only its types)' : ''
        return `${file.path}:${line}: ${room} may not import ${target}${types}`
      })
  })
}

/** One line per folder that has no noun for a name, per `any` and per `console`. */
export function brokenHabits(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const folder = /(?:^|\/)(utils?|helpers?|common)\//.exec(file.path)?.[1]
    const words = isCode(file.path) ? forbiddenWords(file) : []
    return [
      ...(folder === undefined ? [] : [`${file.path}: a thing without a room is a missing noun, not ${folder}/`]),
      ...words.map(({ word, line }) => `${file.path}:${line}: ${word}`),
    ]
  })
}

/** Rooms of the table that hold no file: a row that nobody needs any more. */
export function emptyRooms(files: readonly SourceFile[], table: ImportTable): string[] {
  return Object.keys(table).filter((room) => !files.some(({ path }) => roomOf(path, table) === room))
}

function roomOf(path: string, table: ImportTable): string | undefined {
  return Object.keys(table)
    .filter((room) => path === room || path.startsWith(`${room}/`))
    .toSorted((left, right) => right.length - left.length)[0]
}

/** A relative import as a path from the root, a package as its name. */
function targetOf(from: string, name: string): string {
  if (name.startsWith('.')) return posix.join(posix.dirname(from), name)
  return name
}

function permits(rule: string, target: string, typeOnly: boolean): boolean {
  if (rule.startsWith('types ')) return typeOnly && permits(rule.slice('types '.length), target, typeOnly)
  if (rule.endsWith('*')) return target.startsWith(rule.slice(0, -1))
  return target === rule || target.startsWith(`${rule}/`)
}
