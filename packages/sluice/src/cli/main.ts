import { run } from './run.ts'

// The entry of the process, as source and as bundle.
process.exitCode = await run(process.argv.slice(2))
