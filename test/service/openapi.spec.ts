/** The committed OpenAPI document is the route table's, and in order for a public linter. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, it } from 'vitest'

import packageJson from '../../package.json' with { type: 'json' }
import { openApiDocument } from '../../src/service/openapi.ts'
import { ROUTES } from '../../src/service/routes.ts'

const document = join(import.meta.dirname, '../../docs/openapi.json')

it('is what the route table says (npm run openapi writes it)', async () => {
  expect(JSON.parse(await readFile(document, 'utf8'))).toEqual(
    JSON.parse(JSON.stringify(openApiDocument(packageJson.version))),
  )
})

it('passes the recommended rules of a linter', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const text = await readFile(document, 'utf8')
  const problems = async (source: string) =>
    (await lintFromString({ source, config })).map(({ ruleId, message }) => `${ruleId}: ${message}`)
  expect(await problems(text)).toEqual([])
  // The linter does look.
  expect(await problems(text.replaceAll('"summary"', '"sumary"'))).not.toEqual([])
})

it('names every operation once, with its errors', () => {
  const ids = Object.entries(ROUTES).map(([name, route]) => [name, route.operationId])
  for (const [name, operationId] of ids) expect(operationId).toBe(name)
})
