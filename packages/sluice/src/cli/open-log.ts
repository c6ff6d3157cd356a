import { openSync } from 'node:fs'
import { dirname } from 'node:path'
import { usdOf } from '@sluice/contract'
import type { Log } from '@sluice/gateway/call/log.ts'
import type { CallObserver } from '@sluice/gateway/observe/observers.ts'
import type { Config } from '../config/config.ts'
import { makeFolder } from '@sluice/store/make-folder.ts'
import { CommandError } from './command-error.ts'
import { LogWriter } from './log-writer.ts'

export interface OpenLog extends Log, AsyncDisposable {
  /** Writes lines of another process, each with its line break. */
  forward(lines: string): void
  /** Stops writing to standard output, which nobody reads any more. A file is still written. */
  unread(): void
}

/** Lines are collected for this long, because one write for many lines costs a busy gateway less, in milliseconds. */
const gatherMs = 100
const gatherCharacters = 32 * 1024

/** From most to least verbose. */
const levels: readonly Config['log']['level'][] = [
  'trace',
  'debug',
  'info',
  'warn',
  'error',
  'fatal',
  'silent',
]

/** The log, one JSON object per line. `always` holds fields of every line. Disposing writes pending lines. */
export function openLog({ level: least, file }: Config['log'], always: object = {}): OpenLog {
  const writer = new LogWriter(openDestination(file))
  const now = createTimestamp()
  let lines: string[] = []
  let size = 0
  let timer: NodeJS.Timeout | undefined
  const take = () => {
    clearTimeout(timer)
    timer = undefined
    const text = lines.join('')
    lines = []
    size = 0
    return text
  }
  const write = () => writer.write(take())
  process.once('exit', () => writer.writeLast(take()))
  const add = (text: string) => {
    lines.push(text)
    size += text.length
    if (size >= gatherCharacters) write()
    else timer ??= setTimeout(write, gatherMs).unref()
  }
  const boundFields = JSON.stringify(always).slice(1, -1)
  const common = boundFields === '' ? '' : `${boundFields},`
  const at = (name: keyof Log): Log['info'] => {
    if (levels.indexOf(name) < levels.indexOf(least)) return () => {}
    const begin = `{"level":"${name}","time":"`
    return (fields, message) => {
      const own = JSON.stringify(fields).slice(1, -1)
      add(
        `${begin}${now()}",${common}${own === '' ? '' : `${own},`}"msg":${JSON.stringify(message)}}\n`,
      )
    }
  }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    forward: add,
    unread() {
      if (file === undefined) writer.unread()
    },
    async [Symbol.asyncDispose]() {
      write()
      await writer[Symbol.asyncDispose]()
    },
  }
}

/** The timestamp of a line; all but the milliseconds is computed once per second. */
function createTimestamp(): () => string {
  let last = NaN
  let upToSecond = ''
  return () => {
    const now = Date.now()
    const second = Math.floor(now / 1_000)
    if (second !== last) upToSecond = new Date(second * 1_000).toISOString().slice(0, -4)
    last = second
    return `${upToSecond}${String(now % 1_000).padStart(3, '0')}Z`
  }
}

function openDestination(file: string | undefined): number {
  if (file === undefined) return 1
  try {
    // Opened at once, so that an unwritable log prevents the start and lines can be flushed from the beginning.
    makeFolder(dirname(file))
    return openSync(file, 'a')
  } catch (cause) {
    throw CommandError.because(`The log ${file} cannot be written`, cause)
  }
}

/** Limit for texts chosen by callers, such as paths and model names. */
export const shownMax = 200

/** Requested every few seconds by whatever supervises the process. */
const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

/** Logs one line per request, without secrets, prompts and responses. Fields that are undefined are not in it. */
export function createCallLog(log: Log): CallObserver {
  return {
    ended({ id, givenId, method, path, status, durationMs, disconnected, key, call, code, trace }) {
      const { model } = call?.request ?? {}
      const { elsewhere } = call?.admission ?? {}
      const { usage, firstContentMs, dropped } = call?.trail ?? {}
      // Absent if no attempt was made.
      const tried = call?.trail.provider === undefined ? undefined : call.trail
      const fields = {
        id,
        method,
        path: path.slice(0, shownMax),
        status,
        ms: Math.round(durationMs * 10) / 10,
        givenId,
        code,
        traceId: trace?.traceId,
        key: key?.id,
        keyName: key?.name,
        operation: call?.operation,
        model: typeof model === 'string' ? model.slice(0, shownMax) : undefined,
        stream: call?.stream,
        provider: tried?.provider,
        target: tried && `${tried.provider}/${tried.model}`,
        attempts: tried?.attempts,
        untold: dropped === undefined || dropped.size === 0 ? undefined : untoldOf(dropped),
        firstTokenMs: firstContentMs,
        costUsd: tried?.unknownCosts === 0 ? usdOf(tried.cost) : undefined,
        overBudget: elsewhere?.budget,
        route: elsewhere?.route.slice(0, shownMax),
        inputTokens: usage?.inputTokens,
        outputTokens: usage?.outputTokens,
        left: disconnected ? true : undefined,
      }
      if (status < 400 && probes.has(path)) log.debug(fields, 'request')
      else log.info(fields, 'request')
    },
  }
}

/** Fields left out of a stream are known only after its headers have been sent. */
function untoldOf(dropped: ReadonlySet<string>): string | undefined {
  const names = [...dropped].filter((name) => name.startsWith('answer.'))
  return names.length === 0 ? undefined : names.join(', ').slice(0, shownMax)
}
