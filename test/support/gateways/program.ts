import { readFileSync, writeFileSync } from 'node:fs'
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { ConfigFile } from '../../../packages/sluice/src/config/schema.ts'
import { startSluice } from '../run-sluice.ts'
import { adminKey, testKey, until } from '../start.ts'

export interface Program extends AsyncDisposable {
  readonly url: string
  readonly pid: number
  /** The lines of its log so far. */
  lines(): readonly Readonly<Record<string, unknown>>[]
  /** The ids of the processes that serve the port, if there are several. */
  workers(): readonly number[]
  /** Sends a request on a new connection, so that any worker may get it. */
  ask(path: string, options?: AskOptions): Promise<Told>
  /** Sends a request whose response is read as it arrives. */
  stream(path: string, body: unknown, key?: string): Promise<Response>
  configure(content: ConfigFile): void
  /** Sends a signal and waits for the end. */
  end(
    signal: NodeJS.Signals,
  ): Promise<{ readonly exitCode: number | null; readonly stderr: string }>
  signal(signal: NodeJS.Signals): void
  isPortFree(): Promise<boolean>
}

export interface AskOptions {
  readonly body?: unknown
  readonly method?: string
  /** Default: the test key. */
  readonly key?: string
}

export interface Told {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  readonly json: unknown
}

export interface ProgramOptions {
  readonly folder: string
  readonly content: ConfigFile
  readonly args?: readonly string[]
  readonly variables?: Readonly<Record<string, string>>
}

/** Runs the program itself in a separate process on a free port, with the settings in a file. */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const { folder, content, args = [], variables = {} } = options
  const file = join(folder, 'sluice.yaml')
  const configure = (next: ConfigFile) => writeFileSync(file, stringify(next))
  configure(content)
  const sluice = startSluice(['serve', ...args], {
    folder,
    variables: {
      SLUICE_PORT: '0',
      SLUICE_API_KEYS: testKey,
      SLUICE_ADMIN_KEY: adminKey,
      SLUICE_DATA: join(folder, 'data'),
      SLUICE_CONFIG: file,
      // It is tested on its own, and half a second of every other test would be too much.
      SLUICE_WARM_START: 'false',
      ...variables,
    },
  })
  const url = await until(() => {
    const [, found] = /listens on (http:[^\s"]+)/.exec(sluice.output()) ?? []
    if (found === undefined && sluice.child.exitCode !== null)
      throw new Error(`It ended: ${sluice.output()}`)
    return found
  }, 30_000)
  const pid = sluice.child.pid ?? 0
  return {
    url,
    pid,
    lines: () =>
      sluice
        .output()
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    workers: () => childrenOf(pid),
    ask: (path, asked) => ask(url + path, asked),
    stream: (path, body, key = testKey) =>
      fetch(url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    configure,
    async end(signal) {
      sluice.child.kill(signal)
      return sluice.finished
    },
    signal: (signal) => void sluice.child.kill(signal),
    isPortFree: () => canListen(Number(new URL(url).port)),
    async [Symbol.asyncDispose]() {
      const workers = childrenOf(pid)
      sluice.child.kill('SIGKILL')
      for (const worker of workers) killIfThere(worker)
      await sluice.finished
    },
  }
}

/** Whether a process with this id exists. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function killIfThere(pid: number): void {
  if (isRunning(pid)) process.kill(pid, 'SIGKILL')
}

/** Only Linux reports this (proc_pid_task_children(5)). */
function childrenOf(pid: number): readonly number[] {
  try {
    const found = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim()
    return found === '' ? [] : found.split(' ').map(Number)
  } catch {
    return []
  }
}

function ask(url: string, { body, method, key = testKey }: AskOptions = {}): Promise<Told> {
  const text = body === undefined ? undefined : JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const asked = httpRequest(url, {
      method: method ?? (text === undefined ? 'GET' : 'POST'),
      agent: false,
      headers: {
        authorization: `Bearer ${key}`,
        ...(text !== undefined && { 'content-type': 'application/json' }),
      },
    })
    asked.on('error', reject)
    asked.on('response', (response) => {
      const pieces: Buffer[] = []
      response.on('error', reject)
      response.on('data', (piece: Buffer) => pieces.push(piece))
      response.on('end', () => {
        const bytes = Buffer.concat(pieces)
        const { statusCode: status = 0, headers } = response
        resolve({ status, headers, bytes, json: parsed(bytes) })
      })
    })
    asked.end(text)
  })
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
