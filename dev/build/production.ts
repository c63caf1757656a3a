/** Fixes NODE_ENV to production in the client bundle, so that a library's development half is dropped. */
import type { Plugin } from 'rollup'

/** @returns a rollup plugin; it must stand before the CommonJS one, which decides on branches. */
export function production(): Plugin {
  return {
    name: 'production',
    transform(code) {
      if (!code.includes('process.env.NODE_ENV')) return null
      return { code: code.replaceAll('process.env.NODE_ENV', '"production"'), map: null }
    },
  }
}
