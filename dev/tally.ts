/** Adds up the test reports that one CI run wrote, as its last line: `N passed, N failed`. Fails when a test did or none ran. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const folder = process.argv[2] ?? ''
let passed = 0
let failed = 0
for (const name of await readdir(folder).catch(() => [])) {
  const report: {
    numPassedTests: number
    numFailedTests: number
    testResults: { status: string; assertionResults: object[] }[]
  } = JSON.parse(await readFile(join(folder, name), 'utf8'))
  passed += report.numPassedTests
  // A file that broke before its first test counts as one failure.
  failed +=
    report.numFailedTests +
    report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length
}
process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exitCode = failed > 0 || passed === 0 ? 1 : 0
