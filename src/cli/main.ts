import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// The second start need not compile what the first one did. The folder is this program's own: compiled code from a
// folder that others can write to would run as ours.
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/sluice', import.meta.url)))

const { run } = await import('./run.ts')
process.exitCode = await run(process.argv.slice(2))
