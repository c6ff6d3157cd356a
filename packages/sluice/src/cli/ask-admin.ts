import { GatewayError, validate } from '@sluice/contract'
import type { TSchema } from 'typebox'
import { type Config, loadConfig } from '../config/config.ts'
import type { Environment } from '../config/env.ts'
import { accountEndpoints } from '@sluice/server/admin/accounts.ts'
import { keyEndpoints } from '@sluice/server/admin/keys.ts'
import type { shownAccountSchema, shownKeySchema } from '@sluice/server/admin/schemas.ts'
import type { AnyEndpoint, Asked, Endpoint } from '@sluice/server/endpoint.ts'
import type { Parameters } from '@sluice/server/openapi-endpoint.ts'
import type { Of } from '@sluice/server/shapes.ts'
import type { AccountKind } from '@sluice/gateway/ports/account.ts'
import type { Store } from '@sluice/gateway/ports/store.ts'
import { readInitialKeys } from '@sluice/store/keys/initial-keys.ts'
import { askServer } from './ask-server.ts'
import type { UrlOption } from './command.ts'
import { CommandError } from './command-error.ts'
import { openData } from './open-data.ts'
import { reachableAddress } from './start-message.ts'

/** What an endpoint is asked. */
export interface Question<Path extends string, Query extends Parameters, Body extends TSchema> {
  readonly path?: Asked<Path, Query, Body>['path']
  readonly query?: { readonly [Name in keyof Query]?: string | number | undefined }
  readonly body?: Of<Body>
}

type AnyQuestion = Question<string, Parameters, TSchema>

/**
 * Asks an endpoint of the API.
 *
 * @throws CommandError with the error message if the request is refused.
 */
type Ask = <
  Path extends string,
  Query extends Parameters,
  Body extends TSchema,
  Reply extends TSchema,
>(
  endpoint: Endpoint<Path, Query, Body, Reply>,
  question?: Question<Path, Query, Body>,
) => Promise<Of<Reply>>

/** Access to the administration API. */
export interface AdminConnection extends AsyncDisposable {
  readonly ask: Ask
}

/** Timeout for finding out whether a gateway is running, in milliseconds. */
const probeMs = 2_000
const waitMs = 60_000

/**
 * Opens the administration API of the gateway that runs with this configuration, over HTTP. If none responds, or it refuses
 * the administrator's key, the same endpoints work on the store in this process. This way anyone who may read the data folder
 * can create the first keys and replace lost ones. A gateway given by URL is always used over HTTP. The caller disposes it.
 */
export async function openAdmin(
  environment: Environment,
  { url: asked }: UrlOption = {},
): Promise<AdminConnection> {
  const config = await loadConfig(environment)
  const key = adminKeyOf(config)
  if (asked !== undefined) {
    if (key === undefined) throw new CommandError('Set SLUICE_ADMIN_KEY to a key of this gateway')
    return new ServedAdmin(asked, key)
  }
  const served = key === undefined ? undefined : new ServedAdmin(addressOf(config), key)
  const status = await served?.status()
  if (served && status === 200) return served
  if (served && (status === 401 || status === 403))
    process.stderr.write(
      `The gateway at ${served.address} refuses the administrator's key: working on the data in ${config.dataFolder}\n`,
    )
  return ownAdmin(await openData(config), config.adminKey !== undefined)
}

/**
 * The administration API of a running gateway, by default of the one with this configuration.
 *
 * @param needs the beginning of the sentence that says that the command lacks a key.
 */
export async function runningGateway(
  environment: Environment,
  url: string | undefined,
  needs: string,
): Promise<ServedAdmin> {
  const config = await loadConfig(environment)
  const key = adminKeyOf(config)
  if (key === undefined)
    throw new CommandError(
      `${needs} administrator key: set SLUICE_ADMIN_KEY, or run it beside the data folder`,
    )
  return new ServedAdmin(url ?? addressOf(config), key)
}

function adminKeyOf({ adminKey, dataFolder }: Config): string | undefined {
  return adminKey ?? readInitialKeys(dataFolder).adminKey
}

function addressOf({ server }: Config): string {
  return reachableAddress(server.host, server.port)
}

/** The API of a gateway that runs, over HTTP. */
export class ServedAdmin implements AdminConnection {
  readonly address: string
  readonly headers: Readonly<Record<string, string>>

  constructor(url: string, key: string) {
    this.address = url.replace(/\/+$/, '')
    this.headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  }

  readonly ask: Ask = async (endpoint, question = {}) =>
    JSON.parse(await this.askText(endpoint, question))

  /** Asks for a response that need not be JSON. */
  async askText(endpoint: AnyEndpoint, question: AnyQuestion): Promise<string> {
    const { body } = question
    const { status, text } = await askServer(this.address + placeOf(endpoint, question), {
      method: endpoint.method,
      headers: this.headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      timeoutMs: waitMs,
    }).catch((cause: unknown) => {
      throw this.unreachable(cause)
    })
    if (status !== 200)
      throw new CommandError(`The gateway refused (${status}): ${messageOf(text)}`)
    return text
  }

  /** The status it returns for the key; undefined if none responds. */
  async status(): Promise<number | undefined> {
    const place = placeOf(keyEndpoints.list, { query: { limit: 1 } })
    const { headers } = this
    return askServer(this.address + place, { headers, timeoutMs: probeMs }).then(
      ({ status }) => status,
      () => undefined,
    )
  }

  unreachable(cause: unknown): CommandError {
    return CommandError.because(`No gateway is running at ${this.address}`, cause)
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

/** The API on the store of this process, which is disposed with it. */
function ownAdmin(store: Store, hasFixedOwner: boolean): AdminConnection {
  const ask: Ask = async (endpoint, question = {}) => {
    if (!('onStore' in endpoint))
      throw new CommandError(
        `${endpoint.method} ${placeOf(endpoint, question)} needs a running gateway, and none is running. Start it and try again`,
      )
    const admin = { id: 'command line', role: 'owner' } as const
    const context = { store, admin, actor: admin.id, hasFixedOwner, at: Date.now() }
    try {
      return await endpoint.onStore(checked(endpoint, question), context)
    } catch (thrown) {
      if (!(thrown instanceof GatewayError)) throw thrown
      const { param } = thrown.details
      const where = param === undefined ? '' : `${param}: `
      throw new CommandError(where + thrown.message, { cause: thrown })
    }
  }
  return { ask, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
}

function checked<Path extends string, Query extends Parameters, Body extends TSchema>(
  { body: schema }: Pick<Endpoint<Path, Query, Body, TSchema>, 'body'>,
  { path = {}, query = {}, body = {} }: AnyQuestion,
): Asked<Path, Query, Body> {
  if (schema) validate(schema, body)
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  )
  // The question has the types of the endpoint, and its body was just validated.
  return { path, query: Object.fromEntries(given), body } as unknown as Asked<Path, Query, Body>
}

/** Path and query of a request. */
export function placeOf(
  { path: pattern }: Pick<AnyEndpoint, 'path'>,
  { path = {}, query = {} }: AnyQuestion,
): string {
  const parameters: Readonly<Record<string, string>> = path
  const place = pattern.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(parameters[name] ?? ''),
  )
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) search.set(name, String(value))
  return search.size > 0 ? `${place}?${search.toString()}` : place
}

/** The message of an error body. */
function messageOf(text: string): string {
  try {
    const body: { error?: { message?: string } } = JSON.parse(text)
    return body.error?.message ?? text
  } catch {
    return text.slice(0, 500)
  }
}

interface Page<Item> {
  readonly data: readonly Item[]
  readonly has_more: boolean
  readonly last_id: string | null
}

/** All items of a list, oldest first. */
async function listAll<Item>(
  pageAfter: (query: { order: 'asc'; limit: number; after?: string }) => Promise<Page<Item>>,
): Promise<readonly Item[]> {
  const query = { order: 'asc', limit: 100 } as const
  const found: Item[] = []
  for (let after = {}; ; ) {
    const { data, has_more: hasMore, last_id: last } = await pageAfter({ ...query, ...after })
    found.push(...data)
    if (!hasMore || last === null) return found
    after = { after: last }
  }
}

/** A key or an account as the API shows it. */
export type Listed = Of<typeof shownKeySchema> | Of<typeof shownAccountSchema>
export type ListedKey = Of<typeof shownKeySchema>
export type Kind = AccountKind | 'key'

/** The endpoints of each kind. */
export const endpoints = { ...accountEndpoints, key: keyEndpoints }

/** All keys, oldest first. */
export function allKeys(admin: AdminConnection): Promise<readonly ListedKey[]> {
  return listAll((query) => admin.ask(keyEndpoints.list, { query }))
}

/** All accounts of a kind, oldest first. */
export function allAccounts(admin: AdminConnection, kind: AccountKind) {
  return listAll((query) => admin.ask(accountEndpoints[kind].list, { query }))
}

/** The key or account with an id, or with a name that no other has. Revoked keys are found by name only if no other key has it. */
export async function find(admin: AdminConnection, kind: Kind, asked: string): Promise<Listed> {
  if (kind !== 'key')
    return findNamed(await allAccounts(admin, kind), asked, { what: kind, list: `${kind}s` })
  const keys = await allKeys(admin)
  const active = keys.filter(({ revokedAt }) => revokedAt === undefined)
  const isActive = active.some(({ name }) => name === asked) && !keys.some(({ id }) => id === asked)
  return findNamed(isActive ? active : keys, asked, { what: 'key', list: 'keys' })
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
