/** The test projects: `unit` (pure and Node), `ui` (jsdom), `e2e` (the real host), `full` (large counts, only on request). */
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vitest/config'

const full = Boolean(process.env['SIDEMIND_FULL'])
const reports = process.env['SIDEMIND_REPORTS']
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** A full file is one that takes minutes: `*.full.spec.ts`, run by `npm run test:full`. */
const FULL = 'test/**/*.full.spec.{ts,tsx}'

/** What every file on the real host needs: patience, and the host installed. A browser, a host and a model on a
 *  shared machine can starve each other for half a minute: a test may run a second time, and the report says which did. */
const onHost = {
  retry: 1,
  testTimeout: 60_000,
  hookTimeout: 120_000,
  globalSetup: ['test/kit/prepare-host.ts', 'test/kit/prepare-plugin.ts'],
  setupFiles: ['test/kit/setup-e2e.ts'],
}

/** Packages of the host are where it is installed, not in the repository's own node_modules. */
const hostPackages: Plugin = {
  name: 'host-packages',
  enforce: 'pre',
  resolveId(source, _importer, options) {
    if (!source.startsWith('@deepseek-ai/')) return null
    return this.resolve(source, here('./dev/host/package.json'), { ...options, skipSelf: true })
  },
}

export default defineConfig({
  plugins: [hostPackages],
  resolve: {
    alias: {
      'virtual:sidemind-css': here('./test/kit/empty-css.ts'),
      'sidemind-for-dsh/service-client': here('./src/service-client.ts'),
    },
  },
  test: {
    // CI adds up what every run wrote (dev/tally.ts).
    reporters: reports
      ? ['default', ['json', { outputFile: `${reports}/${full ? 'full' : 'test'}.json` }]]
      : ['default'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          globalSetup: ['test/kit/prepare-host.ts'],
          include: [
            'test/{core,commands,wire,service,build,dev}/**/*.spec.ts',
            'test/providers/**/*.unit.spec.ts',
            'test/architecture.spec.ts',
          ],
          exclude: [FULL],
        },
      },
      {
        extends: true,
        test: {
          name: 'ui',
          environment: 'jsdom',
          include: ['test/ui/**/*.spec.{ts,tsx}'],
          exclude: [FULL],
          css: { include: /.+/, modules: { classNameStrategy: 'non-scoped' } },
        },
      },
      {
        extends: true,
        test: {
          ...onHost,
          name: 'e2e',
          include: ['test/e2e/**/*.spec.ts'],
          exclude: [FULL],
          // A test on the host waits more than it works: two files at a time use the two cores.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      ...(full
        ? [
            {
              extends: true as const,
              test: {
                ...onHost,
                name: 'full',
                include: [FULL],
                fileParallelism: false,
                testTimeout: 600_000,
              },
            },
          ]
        : []),
    ],
  },
})
