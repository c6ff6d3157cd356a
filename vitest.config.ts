import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

// Each gateway of a test starts threads, which would compile the same modules again and again.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compile')

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts', 'bench/test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    expect: { poll: { timeout: 20_000 } },
    maxWorkers: 2,
  },
})
