import sonicBoom from 'sonic-boom'
import type { Config } from '../config/config.ts'
import type { Log } from '../gateway/gateway.ts'
import { CommandError } from './command-error.ts'

export interface OpenLog extends Log, Disposable {}

/** Lines wait for each other this long: one write for many of them costs a busy gateway less. */
const gatherMs = 100
const gatherCharacters = 32 * 1024
/** What a disk that is stuck may keep waiting; lines beyond it are lost. */
const waitingBytesMax = 64 * 1024 * 1024

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
  let lines: string[] = []
  let size = 0
  let timer: NodeJS.Timeout | undefined
  const write = () => {
    clearTimeout(timer)
    timer = undefined
    const text = lines.join('')
    lines = []
    size = 0
    // It may have been closed: its other end has gone, and nobody is left to read it.
    if (text !== '') attempt(() => destination.write(text))
  }
  const flush = () => {
    write()
    attempt(() => destination.flushSync())
  }
  destination.on('error', () => {})
  process.once('exit', flush)
  const at = (name: keyof Log): Log['info'] => {
    const level = numbers[name]
    if (level < numbers[least]) return () => {}
    return (fields, message) => {
      const line = `${JSON.stringify({ level, time: now(), ...fields, msg: message })}\n`
      lines.push(line)
      size += line.length
      if (size >= gatherCharacters) write()
      else timer ??= setTimeout(write, gatherMs).unref()
    }
  }
  return { info: at('info'), warn: at('warn'), error: at('error'), [Symbol.dispose]: flush }
}

function attempt(step: () => unknown): void {
  try {
    step()
  } catch {
    // A log that cannot be written stops nothing else.
  }
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
      maxLength: waitingBytesMax,
    })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown reason'
    throw new CommandError(`The log ${file ?? 'on standard output'} cannot be written: ${reason}`, {
      cause,
    })
  }
}
