import { GatewayError } from '@sluice/contract'
import type { Config } from '../config/config.ts'
import { loadConfig } from '../config/config.ts'
import type { Environment } from '../config/env.ts'
import { adminEndpoints } from '@sluice/server/admin/addresses.ts'
import { answerOfEndpoint } from '@sluice/server/admin/endpoint.ts'
import { matchPath, pathPattern } from '@sluice/server/urls.ts'
import type { Store } from '@sluice/gateway/ports/store.ts'
import { readInitialKeys } from '@sluice/store/keys/initial-keys.ts'
import { askServer } from './ask-server.ts'
import { CommandError } from './command-error.ts'
import { messageOf } from './explain.ts'
import { openData } from './open-data.ts'
import { reachableAddress } from './start-message.ts'

/** Access to the administration API, for requests such as `GET /admin/v1/keys`. */
export interface AdminConnection extends AsyncDisposable {
  /** @throws CommandError with the error message if the request is refused. */
  ask<Answer>(address: string, body?: object): Promise<Answer>
}

/** Timeout for finding out whether a gateway is running, in milliseconds. */
const probeMs = 2_000
const waitMs = 30_000

/**
 * Opens the administration API of the gateway that runs with this configuration, over HTTP. If none responds, or it refuses
 * the administrator's key, the same endpoints work on the store in this process. This way anyone who may read the data folder
 * can create the first keys and replace lost ones. A gateway given by URL is always used over HTTP. The caller disposes it.
 */
export async function openAdmin(
  environment: Environment,
  { url: asked }: { readonly url?: string } = {},
): Promise<AdminConnection> {
  const config = await loadConfig(environment)
  const key = config.adminKey ?? readInitialKeys(config.dataFolder).adminKey
  if (asked !== undefined) {
    if (key === undefined) throw new CommandError('Set SLUICE_ADMIN_KEY to a key of this gateway')
    return servedAdmin(asked.replace(/\/+$/, ''), key)
  }
  const url = reachableAddress(config.server.host, config.server.port).replace(/\/+$/, '')
  const status = key === undefined ? undefined : await statusAt(url, key)
  if (key !== undefined && status === 200) return servedAdmin(url, key)
  if (status === 401 || status === 403)
    process.stderr.write(
      `The gateway at ${url} refuses the administrator's key: working on the data in ${config.dataFolder}\n`,
    )
  return ownAdmin(config)
}

/** The status a gateway returns for the key; undefined if none responds. */
async function statusAt(url: string, key: string): Promise<number | undefined> {
  try {
    const { status } = await askServer(`${url}/admin/v1/keys?limit=1`, {
      headers: { authorization: `Bearer ${key}` },
      timeoutMs: probeMs,
    })
    return status
  } catch {
    return undefined
  }
}

function servedAdmin(url: string, key: string): AdminConnection {
  return {
    async ask(address, body) {
      const [method, path] = partsOf(address)
      const { status, text } = await askServer(url + path, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
        timeoutMs: waitMs,
      })
      if (status !== 200)
        throw new CommandError(`The gateway refused (${status}): ${messageOf(text)}`)
      return JSON.parse(text)
    },
    async [Symbol.asyncDispose]() {},
  }
}

async function ownAdmin(config: Config): Promise<AdminConnection> {
  const store = await openData(config)
  const hasFixedOwner = config.adminKey !== undefined
  return {
    async ask<Answer>(address: string, body: object = {}) {
      try {
        return (await ownAnswer({ store, hasFixedOwner }, address, body)) as Answer
      } catch (thrown) {
        if (!(thrown instanceof GatewayError)) throw thrown
        const { param } = thrown.details
        const where = param === undefined ? '' : `${param}: `
        throw new CommandError(where + thrown.message, { cause: thrown })
      }
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

async function ownAnswer(
  own: { readonly store: Store; readonly hasFixedOwner: boolean },
  address: string,
  body: object,
): Promise<object> {
  const [method, whole] = partsOf(address)
  const [path = '', query = ''] = whole.split('?')
  for (const endpoint of adminEndpoints) {
    const parameters = endpoint.method === method && matchPath(pathPattern(endpoint.path), path)
    if (!parameters) continue
    const admin = { id: 'command line', role: 'owner' } as const
    const request = {
      id: parameters['id'] ?? '',
      query: Object.fromEntries(new URLSearchParams(query)),
      body: body as Readonly<Record<string, unknown>>,
    }
    return answerOfEndpoint(endpoint, { ...own, admin, at: Date.now() }, request)
  }
  throw new CommandError(
    `${address} is asked of a gateway that runs, and none answers: start it first`,
  )
}

function partsOf(address: string) {
  const [method = '', path = ''] = address.split(' ')
  return [method as 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path] as const
}

interface Page<Item> {
  readonly data: readonly Item[]
  readonly has_more: boolean
  readonly last_id: string | null
}

/** All items of a list, oldest first. */
export async function listAll<Item>(
  admin: AdminConnection,
  path: string,
): Promise<readonly Item[]> {
  const found: Item[] = []
  for (let after = ''; ; ) {
    const page: Page<Item> = await admin.ask(`GET ${path}?order=asc&limit=100&after=${after}`)
    found.push(...page.data)
    if (!page.has_more || page.last_id === null) return found
    after = encodeURIComponent(page.last_id)
  }
}

interface Named {
  readonly id: string
  readonly name: string
}

/** The item with this id, or with this name if it is unique. */
export function findNamed<Item extends Named>(
  items: readonly Item[],
  asked: string,
  { what, list }: { readonly what: string; readonly list: string },
): Item {
  const byId = items.find(({ id }) => id === asked)
  if (byId) return byId
  const named = items.filter(({ name }) => name === asked)
  const [only, another] = named
  if (!only)
    throw new CommandError(`There is no ${what} ${asked}: sluice ${list} list shows ids and names`)
  if (!another) return only
  const ids = named.map(({ id }) => id).join(', ')
  throw new CommandError(`Several ${what}s are named ${asked}: say which by its id (${ids})`)
}
