import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '../support/npm.ts'
import type { Agent, Place } from './agents.ts'

/** Where the agents are, each at its version of versions.json. */
export const installed = join(root, 'node_modules/.cache/agents')

export interface Ran {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  /** What the file holds at the end. */
  readonly written: string
}

export const fileName = 'colours.txt'
const before = 'The sky is red.\nThe grass is green.\n'
export const after = before.replace('red', 'blue')
const prompt = `Change 'red' to 'blue' in ${fileName}.`
const limitMs = 120_000

/** Runs an agent once, in a folder of its own with one file. What it started is ended with it. */
export async function runAgent(
  agent: Agent,
  given: { readonly url: string; readonly key: string; readonly folder: string },
): Promise<Ran> {
  const place: Place = {
    ...given,
    home: join(given.folder, 'home'),
    folder: join(given.folder, 'work'),
  }
  const { home, folder } = place
  mkdirSync(home)
  mkdirSync(folder)
  for (const [path, content] of Object.entries(agent.files?.(place) ?? {})) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), typeof content === 'string' ? content : JSON.stringify(content))
  }
  const file = join(folder, fileName)
  writeFileSync(file, before)
  const program =
    agent.program === 'node'
      ? process.execPath
      : join(installed, 'node_modules/.bin', agent.program)
  const child = spawn(program, agent.args(prompt, place), {
    cwd: folder,
    env: {
      PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH']}`,
      HOME: home,
      TMPDIR: home,
      CI: '1',
      NO_COLOR: '1',
      ...nowhere,
      ...agent.env(place),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const end = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // Nothing of the group is left.
    }
  }
  const timer = setTimeout(end, limitMs)
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (piece: Buffer) => void (stdout += piece.toString()))
  child.stderr.on('data', (piece: Buffer) => void (stderr += piece.toString()))
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', resolve)
  })
  clearTimeout(timer)
  end()
  return { exitCode, stdout, stderr, written: readFileSync(file, 'utf8') }
}

/** A proxy that nobody listens at, for programs that would look for the network. */
const nowhere = {
  HTTP_PROXY: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  http_proxy: 'http://127.0.0.1:9',
  https_proxy: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1,localhost',
  no_proxy: '127.0.0.1,localhost',
}
