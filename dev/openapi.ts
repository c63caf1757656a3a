/** `npm run openapi`: writes docs/openapi.json from the route table. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import packageJson from '../package.json' with { type: 'json' }
import { openApiDocument } from '../src/service/openapi.ts'
import { ROOT } from './run-tool.ts'

await writeFile(join(ROOT, 'docs/openapi.json'), `${JSON.stringify(openApiDocument(packageJson.version), null, 2)}\n`)
