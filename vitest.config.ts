import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { bundledLibrary } from './build/bundled-library.ts'
import { bundledThreads } from './build/bundled-threads.ts'

// Each gateway of a test starts threads, which would compile the same modules again and again.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compile')

/** The packages that hold an older major version of each official SDK: see "SDKs" in CONTRIBUTING.md. */
const previousSdks: Readonly<Record<string, string>> = {
  openai: 'openai-previous',
  '@anthropic-ai/sdk': 'anthropic-previous',
  '@google/genai': 'genai-previous',
  'cohere-ai': 'cohere-previous',
}

const timed = [
  'test/flows/limits/costly-bodies.test.ts',
  'test/flows/limits/costly-requests.test.ts',
  'test/flows/limits/large-answers.test.ts',
]

export default defineConfig({
  // Only our sources import it, and each test process would take 60 ms to load its three hundred files.
  resolve: { alias: [{ find: /^kysely$/, replacement: await bundledLibrary('kysely') }] },
  plugins: [bundledThreads()],
  test: {
    // Long enough for a machine that is several times as slow and does other things, too.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    maxWorkers: 3,
    projects: [
      {
        extends: true,
        test: {
          name: 'all',
          include: ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts', 'bench/test/**/*.test.ts'],
          exclude: timed,
        },
      },
      {
        extends: true,
        // After all others, one after another: they measure how long the gateway makes others wait.
        test: {
          name: 'timed',
          include: timed,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        resolve: {
          alias: Object.entries(previousSdks).map(([newest, previous]) => ({
            find: new RegExp(`^${newest}(?=/|$)`),
            replacement: previous,
          })),
        },
        test: {
          name: 'previous SDKs',
          include: ['test/flows/sdk/*.test.ts'],
          // They test Vercel's AI SDK.
          exclude: [
            'test/flows/sdk/ai-sdk-providers.test.ts',
            'test/flows/sdk/translated-ai-sdk.test.ts',
          ],
          env: { SDKS: 'previous' },
        },
      },
    ],
  },
})
