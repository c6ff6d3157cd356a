import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { openLog } from '../../src/cli/open-log.ts'

type Level = Parameters<typeof openLog>[0]['level']

async function written(level: Level): Promise<readonly unknown[]> {
  using folder = temporaryFolder()
  const file = join(folder.path, 'logs', 'sluice.log')
  {
    await using log = openLog({ level, file })
    log.debug({}, 'a probe')
    log.info({ id: 'req_1', absent: undefined, name: 'a "quoted"\nname' }, 'request')
    log.warn({ attempt: 1 }, 'an attempt failed')
    log.error({ reason: 'why' }, 'a request failed')
  }
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const all = [
  { level: 'debug', time, msg: 'a probe' },
  { level: 'info', time, id: 'req_1', name: 'a "quoted"\nname', msg: 'request' },
  { level: 'warn', time, attempt: 1, msg: 'an attempt failed' },
  { level: 'error', time, reason: 'why', msg: 'a request failed' },
]

test.each<[Level, number]>([
  ['trace', 0],
  ['debug', 0],
  ['info', 1],
  ['warn', 2],
  ['error', 3],
  ['fatal', 4],
  ['silent', 4],
])('at level %s each line is a JSON object with its level as a word', async (level, hidden) => {
  expect(await written(level)).toEqual(all.slice(hidden))
})
