import sonicBoom from 'sonic-boom'
import type { Config } from '../config/config.ts'
import type { Log } from '../gateway/gateway.ts'
import { CommandError } from './command-error.ts'

export interface OpenLog extends Log, Disposable {}

/** Lines wait for each other this long: one write for many of them costs a busy gateway less. */
const gatherMs = 100
const gatherBytes = 32 * 1024
const writeBytesMax = 256 * 1024

/** As pino and Bunyan number them, which log readers know. */
const numbers: Readonly<Record<Config['log']['level'], number>> = {
  trace: 10,
  debug: 20,
  info: 30,
  warn: 40,
  error: 50,
  fatal: 60,
  silent: Infinity,
}

/** The log, one JSON object a line, in pino's form. Disposing writes what still waits. */
export function openLog({ level: least, file }: Config['log']): OpenLog {
  const destination = openDestination(file)
  const now = createTimestamp()
  const flush = () => {
    try {
      destination.flushSync()
    } catch {
      // It was closed, or its other end has gone: nobody is left to read it.
    }
  }
  destination.on('error', () => {})
  process.once('exit', flush)
  const at = (name: keyof Log): Log['info'] => {
    const level = numbers[name]
    if (level < numbers[least]) return () => {}
    return (fields, message) => {
      const line = { level, time: now(), ...fields, msg: message }
      destination.write(`${JSON.stringify(line)}\n`)
    }
  }
  return { info: at('info'), warn: at('warn'), error: at('error'), [Symbol.dispose]: flush }
}

/** The time of a line, made once for all lines of a millisecond. */
function createTimestamp(): () => string {
  let last = 0
  let text = ''
  return () => {
    const now = Date.now()
    if (now !== last) text = new Date(now).toISOString()
    last = now
    return text
  }
}

function openDestination(file: string | undefined) {
  try {
    return new sonicBoom.SonicBoom({
      ...(file === undefined ? { fd: 1 } : { dest: file }),
      append: true,
      mkdir: true,
      sync: false,
      minLength: gatherBytes,
      maxWrite: writeBytesMax,
      periodicFlush: gatherMs,
    })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown reason'
    throw new CommandError(`The log ${file ?? 'on standard output'} cannot be written: ${reason}`, {
      cause,
    })
  }
}
