import { ConfigError } from '../config/config-error.ts'
import { CommandError } from './command-error.ts'
import { printableLines } from './printable.ts'
import { serve } from './serve.ts'

/**
 * Runs one command line and returns its exit code: 0, 1 for a reported failure, 2 for an invalid command line. Starting the
 * gateway or a worker bypasses the parser of all other commands, which would take a tenth of the startup time.
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
    process.stderr.write(`${printableLines(messageOf(error))}\n`)
    // The channel to its primary process would keep a worker alive that could not start.
    process.disconnect?.()
    return 1
  }
}

/** The error message for the user. Only internal errors show their stack. */
function messageOf(error: unknown): string {
  if (error instanceof ConfigError || error instanceof CommandError) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
