import { ConfigError } from '../config/config-error.ts'
import { CommandError } from './command-error.ts'
import { printableLines } from './printable.ts'
import { serve } from './serve.ts'

/**
 * Runs one command line and returns its exit code: 0, 1 for a failure told in a sentence, 2 for a wrong command line.
 * Starting the gateway, or a worker of it, goes past the parser of all other commands, which would be a tenth of the start.
 */
export async function run(args: readonly string[]): Promise<number> {
  try {
    if (args.length === 0 || (args.length === 1 && args[0] === 'serve')) return await serve()
    if (args[0] === 'worker') {
      const { serveWorker } = await import('./worker.ts')
      return await serveWorker(Number(args[1]), Number(args[2]))
    }
    const { runProgram } = await import('./program.ts')
    return await runProgram(args)
  } catch (error) {
    process.stderr.write(`${printableLines(tell(error))}\n`)
    return 1
  }
}

/** What went wrong, for people. Only a mistake of this program shows its stack. */
function tell(error: unknown): string {
  if (error instanceof ConfigError || error instanceof CommandError) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
