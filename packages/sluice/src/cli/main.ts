import { run } from './run.ts'

// The entry point of the process, both for sources and bundle.
process.exitCode = await run(process.argv.slice(2))
