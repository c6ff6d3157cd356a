// Lists of the administration: whatever the administrator of one team asks for, nothing of another team is in the answer.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addresses } from '../../../packages/server/src/routes.ts'
import { asked, granted } from '../../support/administrate.ts'
import { adminKey, type Started, start, until } from '../../support/start.ts'

/** A team with a user, whose key has made a call that was answered and one that was refused. */
interface Team {
  readonly administrator: string
  /** What would tell of this team, by the parameters that could ask for it. */
  readonly marks: Readonly<Record<'team' | 'user' | 'key' | 'id' | 'prompt' | 'name', string>>
}

/** Every list that administrators of teams may read, with the parameters that it takes. */
const lists = addresses.flatMap(({ method, path, access, description }) => {
  const isList = method === 'GET' && path.startsWith('/admin/v1/') && !path.includes('{')
  const isForTeams = typeof access !== 'string' && access.includes('team')
  if (!isList || !isForTeams || path.endsWith('/live')) return []
  const { query = {} } = description === 'none' || 'format' in description ? {} : description
  return [[path, Object.keys(query)] as const]
})

async function made(gateway: Started, name: string): Promise<Team> {
  const post = (path: string, body: object) => granted(gateway, `POST /admin/v1/${path}`, body)
  const team = await post('teams', { name: `team ${name}`, contentLogging: true })
  const user = await post('users', { name: `user ${name}`, parentId: team.id })
  const key = await post('keys', { name: `key ${name}`, ownerId: user.id, models: ['builtin-*'] })
  const role = { role: 'administrator', adminRole: 'team', ownerId: team.id }
  const { secret: administrator } = await post('keys', { name: `administrator ${name}`, ...role })
  const prompt = `prompt-of-${name}`
  const call = async (model: string) => {
    const body = { model, messages: [{ role: 'user', content: prompt }] }
    const answer = await gateway.post('/v1/chat/completions', body, { key: key.secret })
    await answer.arrayBuffer()
    return answer.headers.get('x-request-id') ?? ''
  }
  const id = await call('builtin-chat')
  await call('nowhere/m')
  const marks = { team: team.id, user: user.id, key: key.id, id, prompt, name: `user ${name}` }
  return { administrator, marks }
}

let gateway: Started
let own: Team
let other: Team
beforeAll(async () => {
  gateway = await start()
  own = await made(gateway, 'a')
  other = await made(gateway, 'ab')
  // The console's counts of refused calls and kept prompts are written a moment after the answers.
  for (const list of ['contents', 'refusals', 'requests'])
    await until(async () => {
      const { body } = await asked(gateway, `GET /admin/v1/${list}`)
      return body.data.length >= 2
    })
})
afterAll(() => gateway[Symbol.asyncDispose]())

/** The marks of a team that are in an answer. */
async function marksIn(
  path: string,
  query: Readonly<Record<string, string>>,
  { of, by }: { readonly of: Team; readonly by: string },
): Promise<readonly string[]> {
  const { status, body } = await asked(
    gateway,
    `GET ${path}?${new URLSearchParams(query).toString()}`,
    undefined,
    by,
  )
  expect([200, 400, 403]).toContain(status)
  const text = status === 200 ? JSON.stringify(body) : ''
  return Object.values(of.marks).filter((mark) => text.includes(mark))
}

test('the tested lists include those of teams, users, keys and contents', () => {
  const named = new Set(lists.flatMap(([, parameters]) => parameters))
  for (const name of ['team', 'user', 'key', 'ids']) expect(named).toContain(name)
  expect(lists.map(([path]) => path)).toContain('/admin/v1/contents')
})

describe.each(lists)('%s for a team’s administrator', (path, parameters) => {
  const questions = (team: Team): readonly Readonly<Record<string, string>>[] => {
    const { marks } = team
    const known: Readonly<Record<string, string>> = {
      ...marks,
      ids: Object.values(marks).join(),
      parentId: marks.team,
      ownerId: marks.user,
    }
    const each = parameters.flatMap((name) => {
      const value = known[name]
      return value === undefined ? [] : [{ [name]: value }]
    })
    return [{}, ...each, Object.assign({}, ...each) as Record<string, string>]
  }

  test('contains nothing of another team', async () => {
    for (const query of questions(other))
      expect([query, await marksIn(path, query, { of: other, by: own.administrator })]).toEqual([
        query,
        [],
      ])
  })

  test('contains all of the own team that an owner sees', async () => {
    for (const query of questions(own)) {
      const seen = await marksIn(path, query, { of: own, by: adminKey })
      const shown = await marksIn(path, query, { of: own, by: own.administrator })
      expect([query, shown]).toEqual([query, seen])
    }
  })
})
