/** Runs around every end-to-end file. */
import { afterAll } from 'vitest'

import { closeBrowser } from './browser.ts'

afterAll(closeBrowser)
