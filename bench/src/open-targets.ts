import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { type Cores, start, takeCores } from './processes.ts'
import type { Target } from './targets.ts'

/** A target that answers. */
export interface OpenTarget {
  readonly name: string
  readonly url: URL
  readonly translates: boolean
  readonly headers: Readonly<Record<string, string>>
  /** Undefined where there is no process of ours to read. */
  readonly pid: number | undefined
  readonly stubPid: number
  readonly cores: Cores
}

export interface Bench extends AsyncDisposable {
  readonly cores: Cores
  /** Starts a target; the function stops it again. */
  open(target: Target): Promise<OpenTarget & AsyncDisposable>
}

/**
 * Starts the stub, with the recordings of a folder if given, and moves this process to the core of the load. Disposing stops
 * everything that was started.
 */
export async function openBench(recordings?: string): Promise<Bench> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  const cores = takeCores()
  const stub = start({
    command: [
      process.execPath,
      join(import.meta.dirname, 'stub.ts'),
      ...(recordings === undefined ? [] : [resolve(recordings)]),
    ],
    core: cores.load,
  })
  if (!stub.child.stdout) throw new Error('The stub has no output')
  const lines = createInterface({ input: stub.child.stdout })
  const [port] = await once(lines, 'line')
  const upstream = `http://127.0.0.1:${port}`
  const opened = new AsyncDisposableStack()
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  opened.use(stub)

  return {
    cores,
    async open({ name, translates = false, headers, begin, createKey, url = new URL(upstream) }) {
      const begun = begin && (await begin({ cores, upstream, folder }))
      if (begun) opened.use(begun.running)
      const key = begun && (await createKey?.(begun.port))
      return {
        name,
        translates,
        headers: {
          ...Object.fromEntries(
            Object.entries(headers).map(([key, value]) => [
              key,
              value.replaceAll('{upstream}', upstream),
            ]),
          ),
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
        },
        url: begun ? new URL(`http://127.0.0.1:${begun.port}`) : url,
        pid: begun?.running.pid,
        stubPid: stub.pid,
        cores,
        async [Symbol.asyncDispose]() {
          await begun?.running[Symbol.asyncDispose]()
        },
      }
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
