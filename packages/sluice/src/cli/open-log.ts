import { pino } from 'pino'
import type { Config } from '../config/config.ts'
import type { Log } from '../gateway/gateway.ts'
import { CommandError } from './command-error.ts'

export interface OpenLog extends Log, Disposable {}

/** Lines wait for each other this long: one write for many of them costs a busy gateway less. */
const gatherMs = 100
const gatherBytes = 8 * 1024

/** The log, one JSON object a line (pino's form). Disposing writes what still waits. */
export function openLog({ level, file }: Config['log']): OpenLog {
  const destination = openDestination(file)
  const log = pino({ level, base: null, timestamp: createTimestamp() }, destination)
  const flush = () => {
    try {
      destination.flushSync()
    } catch {
      // It was closed, or its other end has gone: nobody is left to read it.
    }
  }
  destination.on('error', () => {})
  process.once('exit', flush)
  return {
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    error: (fields, message) => log.error(fields, message),
    [Symbol.dispose]: flush,
  }
}

/** The time of a line as pino's isoTime writes it, made once for all lines of a millisecond. */
function createTimestamp(): () => string {
  let last = 0
  let text = ''
  return () => {
    const now = Date.now()
    if (now !== last) text = `,"time":"${new Date(now).toISOString()}"`
    last = now
    return text
  }
}

function openDestination(file: string | undefined) {
  try {
    return pino.destination({
      dest: file ?? 1,
      append: true,
      mkdir: true,
      sync: false,
      minLength: gatherBytes,
      periodicFlush: gatherMs,
    })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown reason'
    throw new CommandError(`The log ${file ?? 'on standard output'} cannot be written: ${reason}`, {
      cause,
    })
  }
}
