// A log in a pipe whose reader has gone, or reads no more: the process ends all the same.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const module = fileURLToPath(new URL('../../src/cli/open-log.ts', import.meta.url))

/** More than a pipe holds. */
const lines = 5_000

/** Logs, waits for a word, logs more, and ends as it is told. */
const program = (end: string) => `
  import { openLog } from ${JSON.stringify(module)}
  const log = openLog({ level: 'info' })
  const say = () => { for (let line = 0; line < ${lines}; line += 1) log.info({ line }, 'a line of the log') }
  process.on('message', async () => {
    say()
    setTimeout(async () => {
      log.info({}, 'the last line')
      ${end}
    }, 1_500)
  })
  process.send('ready')
`

const ends = {
  'in order': 'await log[Symbol.asyncDispose](); process.exit(0)',
  'at once': 'process.exit(0)',
  'by an error': `throw new Error('wrong')`,
}

const readers: Readonly<Record<string, (child: ChildProcess) => void>> = {
  'has gone': ({ stdout }) => stdout?.destroy(),
  'reads no more': ({ stdout }) => stdout?.pause(),
}

const cases = Object.entries(ends).flatMap(([how, end]) =>
  Object.entries(readers).map(([what, reader]) => ({ how, end, what, reader })),
)

test.each(cases)('a process ends $how whose reader $what', { timeout: 30_000 }, async (given) => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program(given.end)], {
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  })
  await once(child, 'message')
  given.reader(child)
  child.send('go')
  const [code, signal] = await once(child, 'exit', { signal: AbortSignal.timeout(20_000) }).finally(
    () => child.kill('SIGKILL'),
  )
  // A thread that is blocked for ever lets it end only in this way.
  if (given.what === 'reads no more') expect(signal).toBe('SIGKILL')
  else expect(code).toBe(given.how === 'by an error' ? 1 : 0)
})

test('writes all log lines before a clean exit', async () => {
  const end = ends['in order']
  const child = spawn(process.execPath, ['--input-type=module', '-e', program(end)], {
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  })
  let text = ''
  child.stdout?.on('data', (piece: Buffer) => (text += piece.toString()))
  await once(child, 'message')
  child.send('go')
  await once(child, 'close')
  const read = text.trimEnd().split('\n')
  expect(read).toHaveLength(lines + 1)
  expect(read.slice(0, -1).map((line) => JSON.parse(line).line)).toEqual(
    Array.from({ length: lines }, (_, line) => line),
  )
  expect(JSON.parse(read.at(-1) ?? '')).toMatchObject({ msg: 'the last line' })
})
