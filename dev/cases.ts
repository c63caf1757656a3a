/** Which tests show which situation that people reported of products of this kind. A test on the real host names the cases that
 *  it shows in brackets (`[K07] goes on …`). `npm run check` fails for a case without such a test and for a test of a case
 *  that does not exist; run alone, this prints the table. A case that cannot be met here may be exempt, with its reason. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { testNames, type TestName } from './test-names.ts'

interface Case {
  /** What a person should see. */
  readonly says: string
  /** Why no test on the real host can show it. */
  readonly exempt?: string
}

/** Where a case counts as shown: a person, or what they would meet, on the real host. */
const ON_HOST = 'test/e2e/'
const DECLARES = new Set(['it', 'test', 'describe'])

/** Complaints in words for a person; empty when every case is shown. */
export async function caseComplaints(): Promise<string[]> {
  const cases = await reported()
  const tagged = await taggedTests()
  const shown = new Set(tagged.filter(({ file }) => file.startsWith(ON_HOST)).flatMap(({ name }) => casesOf(name)))
  const unknown = tagged.flatMap(({ file, name }) =>
    casesOf(name)
      .filter((one) => cases[one] === undefined)
      .map((one) => `There is no case ${one}: ${file}: ${name}`),
  )
  const wrong = Object.entries(cases).flatMap(([number, { says, exempt }]) => {
    if (exempt === undefined) return shown.has(number) ? [] : [`No test on the real host shows ${number}: ${says}`]
    const needless = exempt.trim() === '' || shown.has(number)
    return needless ? [`The exemption of ${number} has no reason, or the case has a test.`] : []
  })
  return [...wrong, ...unknown]
}

async function reported(): Promise<Readonly<Record<string, Case>>> {
  return JSON.parse(await readFile(join(import.meta.dirname, 'cases.json'), 'utf8'))
}

async function taggedTests(): Promise<readonly TestName[]> {
  return (await testNames(DECLARES)).filter(({ name }) => casesOf(name).length > 0)
}

function casesOf(name: string): readonly string[] {
  return [...name.matchAll(/\[(K\d\d)\]/g)].map((hit) => hit[1] ?? '')
}

if (import.meta.main) {
  const tagged = await taggedTests()
  for (const [number, { says, exempt }] of Object.entries(await reported())) {
    process.stdout.write(`${number}  ${says}\n`)
    if (exempt !== undefined) process.stdout.write(`      exempt: ${exempt}\n`)
    for (const { file, name } of tagged)
      if (casesOf(name).includes(number)) process.stdout.write(`      ${file}: ${name}\n`)
  }
  const complaints = await caseComplaints()
  for (const complaint of complaints) process.stdout.write(`${complaint}\n`)
  process.exitCode = complaints.length === 0 ? 0 : 1
}
