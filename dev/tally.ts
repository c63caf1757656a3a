/**
 * Adds up the test reports that one CI run wrote, as its last line: `N passed, N failed`, and before it names what
 * failed. Fails when a test did or none ran.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** As vitest's JSON reporter writes it; the fields used here. */
interface Report {
  numPassedTests: number
  numFailedTests: number
  testResults: {
    name: string
    status: string
    message: string
    assertionResults: { status: string; fullName: string; failureMessages: string[] | null }[]
  }[]
}

/** How much of a failure's message is repeated, in characters: enough for the assertion and the line that it is in. */
const MESSAGE_SHOWN = 1500

const folder = process.argv[2] ?? ''
let passed = 0
const failures: string[] = []
for (const name of await readdir(folder).catch(() => [])) {
  const report: Report = JSON.parse(await readFile(join(folder, name), 'utf8'))
  passed += report.numPassedTests
  for (const file of report.testResults) {
    const failed = file.assertionResults.filter((test) => test.status === 'failed')
    for (const test of failed) {
      failures.push(
        `${file.name}\n  ${test.fullName}\n${(test.failureMessages ?? []).join('\n').slice(0, MESSAGE_SHOWN)}`,
      )
    }
    // A file that broke before its first test counts as one failure.
    if (file.status === 'failed' && file.assertionResults.length === 0) {
      failures.push(`${file.name}\n${file.message.slice(0, MESSAGE_SHOWN)}`)
    }
  }
}
for (const failure of failures) process.stdout.write(`\nFAILED ${failure}\n`)
process.stdout.write(`${passed} passed, ${failures.length} failed\n`)
process.exitCode = failures.length > 0 || passed === 0 ? 1 : 0
