import { invalidRequest, validate } from '@sluice/contract'
import type { TSchema, TUnknown } from 'typebox'
import type { AccountStore, Administering } from '@sluice/gateway/accounts/administer.ts'
import { type Admin, adminOf } from '@sluice/gateway/accounts/rights.ts'
import type { AdminRole } from '@sluice/gateway/ports/api-key.ts'
import type { Store } from '@sluice/gateway/ports/store.ts'
import type { Address, Exchange } from './address.ts'
import { parseJsonObject, readBody } from './body.ts'
import { one, type Values } from './query.ts'
import type { EndpointDescription, Parameters } from './openapi-endpoint.ts'
import type { Of } from './shapes.ts'

/** The names of the `{parameters}` of a path. */
type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never

/** What a request asks of an endpoint. */
export interface Asked<Path extends string, Query extends Parameters, Body extends TSchema> {
  /** The parameters of the path, decoded. */
  readonly path: Readonly<Record<NamesIn<Path>, string>>
  /** The parameters that the endpoint declares. */
  readonly query: Values<Query>
  /** As its schema describes it. */
  readonly body: Of<Body>
}

/** What an endpoint works with that needs nothing but the store. */
export interface AdminContext extends Administering {
  readonly store: AccountStore & Pick<Store, 'lastUse'>
  readonly admin: Admin
}

/** How an endpoint gets its response. */
type Handler<Question, Reply> =
  | {
      /** From the store alone, so that the command line can ask it without a running gateway. */
      onStore(asked: Question, context: AdminContext): Promise<Reply>
    }
  | {
      /** From the running gateway. */
      answer(asked: Question, exchange: Exchange): Promise<Reply>
    }
  | {
      /** Sends the response itself. */
      send(asked: Question, exchange: Exchange): Promise<void>
    }

/** An endpoint of the gateway's own API. The server, the OpenAPI document and the command line are derived from it. */
export type Endpoint<
  Path extends string,
  Query extends Parameters,
  Body extends TSchema,
  Reply extends TSchema,
> = EndpointDescription &
  Omit<Address, 'path' | 'format' | 'description' | 'serve' | 'select'> & {
    readonly path: Path
    readonly query?: Query
    readonly body?: Body
    readonly reply?: Reply
    /** Whether query parameters that it does not declare are refused, because a misspelled filter would be ignored. */
    readonly refusesUnknown?: boolean
    /** What is checked before the query and the body are read, so that nobody else gets to know their mistakes. */
    enter?(exchange: Exchange): void | Promise<void>
  } & Handler<Asked<Path, Query, Body>, Of<Reply>>

export type AnyEndpoint = Endpoint<string, Parameters, TSchema, TSchema>

/** Declares an endpoint. */
export function endpoint<
  const Path extends string,
  const Query extends Parameters = Readonly<Record<never, never>>,
  Body extends TSchema = TUnknown,
  Reply extends TSchema = TUnknown,
>(declared: Endpoint<Path, Query, Body, Reply>): Endpoint<Path, Query, Body, Reply> {
  return declared
}

/** Roles that may read data about the whole installation. */
export const wholeReaders: readonly AdminRole[] = ['owner', 'operator', 'viewer']

/** Roles that may read, change what is in a team, and change everything. */
export const readers: readonly AdminRole[] = ['owner', 'operator', 'viewer', 'team']
export const teamChangers: readonly AdminRole[] = ['owner', 'operator', 'team']
export const changers: readonly AdminRole[] = ['owner', 'operator']
export const owners: readonly AdminRole[] = ['owner']

/** Where the server serves an endpoint. */
export function addressOf(declared: AnyEndpoint): Address {
  return {
    ...declared,
    description: declared,
    serve: (exchange) => serve(declared, exchange),
  }
}

async function serve(declared: AnyEndpoint, exchange: Exchange): Promise<void> {
  const { gateway, key, reply } = exchange
  await declared.enter?.(exchange)
  const asked = await askedOf(declared, exchange)
  if ('send' in declared) return declared.send(asked, exchange)
  let answered: unknown
  if ('answer' in declared) answered = await declared.answer(asked, exchange)
  else {
    const admin = adminOf(key)
    const hasFixedOwner = gateway.keys.hasFixedOwner()
    const context = {
      store: gateway.store,
      admin,
      actor: admin.id,
      hasFixedOwner,
      at: gateway.now(),
    }
    answered = await declared.onStore(asked, context)
    // The change takes effect here at once; other replicas see it within a second.
    if (declared.method !== 'GET') await gateway.keys.reload()
  }
  // What pages of the console show may change at any time.
  if (typeof declared.access !== 'string' || declared.isForConsole === true)
    void reply.header('cache-control', 'no-store')
  void reply.send(answered)
}

async function askedOf(
  declared: AnyEndpoint,
  exchange: Exchange,
): Promise<Asked<string, Parameters, TSchema>> {
  const { parameters: path, request } = exchange
  const query = queryOf(declared, request.query)
  if (!declared.body) return { path, query, body: undefined }
  const isUnchecked = declared.checksBody === true
  const body = await bodyOf(exchange, isUnchecked)
  return { path, query, body: isUnchecked ? body : validate(declared.body, body) }
}

/** The declared parameters of a query. Those that are given more than once are refused as ambiguous. */
function queryOf({ query: declared = {}, refusesUnknown = false }: AnyEndpoint, given: unknown) {
  const names = Object.keys(declared)
  if (refusesUnknown)
    for (const name of Object.keys(given as object))
      if (!names.includes(name))
        throw invalidRequest(`There is no parameter ${JSON.stringify(name.slice(0, 100))}`, name)
  return Object.fromEntries(names.map((name) => [name, one(given, name)]))
}

/** The JSON body of a request. An empty one is an empty object, unless the handler checks it. */
async function bodyOf(
  exchange: Exchange,
  isUnchecked: boolean,
): Promise<Readonly<Record<string, unknown>>> {
  const { options, request } = exchange
  const raw = await readBody(exchange)
  if (raw.length === 0 && !isUnchecked) return {}
  return parseJsonObject(raw, request.headers['content-type'], options.bodyUnitsMax)
}
