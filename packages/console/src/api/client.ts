import { type Operations, places } from './operations.ts'

export type OperationId = keyof Operations

/** What an operation is asked with: its body, and of path and query what it takes. */
export interface Asked<Id extends OperationId> {
  readonly path?: Operations[Id]['path']
  readonly query?: Operations[Id]['query']
  readonly body?: Operations[Id]['body']
  readonly signal?: AbortSignal
}

export type Reply<Id extends OperationId> = Operations[Id]['reply']

/** What the gateway refused, or why nothing came from it. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** 0 where the gateway could not be reached. */
  readonly status: number
  /** The path of the field at fault, if any. */
  readonly param: string | undefined

  constructor(message: string, status: number, param?: string) {
    super(message)
    this.status = status
    this.param = param
  }
}

/** Whoever is told when the gateway says that nobody is signed in any more. */
let signedOut = (): void => {}

/** Tells `told` from now on whenever an answer says that the session has ended. */
export function onSignedOut(told: () => void): void {
  signedOut = told
}

/**
 * Asks the gateway with the session of this browser.
 *
 * @throws ApiError
 */
export async function ask<Id extends OperationId>(
  id: Id,
  asked: Asked<Id> = {},
): Promise<Reply<Id>> {
  const { body, signal } = asked
  const [method] = places[id]
  const response = await reached(addressOf(id, asked), {
    method,
    headers: {
      accept: 'application/json',
      // A page of another origin cannot send it: the gateway takes a session for a change only with it.
      'x-sluice-console': '1',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  })
  const answered: unknown = await response.json().catch(() => undefined)
  if (response.ok) return answered as Reply<Id>
  if (response.status === 401 && id !== 'signIn') signedOut()
  throw errorOf(response.status, answered)
}

/** Where an operation is, relative to this page: the gateway may be below another path. */
export function addressOf<Id extends OperationId>(id: Id, { path, query }: Asked<Id>): string {
  const [, pattern] = places[id]
  const parameters = new Map(Object.entries(path ?? {}))
  const place = pattern.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(parameters.get(name) ?? '')),
  )
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined) search.set(name, String(value))
  return search.size > 0 ? `${place}?${search}` : place
}

async function reached(address: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(address, options)
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause
    throw new ApiError('The gateway cannot be reached.', 0)
  }
}

function errorOf(status: number, answered: unknown): ApiError {
  const { error } = (answered ?? {}) as {
    readonly error?: { readonly message?: string; readonly param?: string | null }
  }
  return new ApiError(error?.message ?? `Status ${status}`, status, error?.param ?? undefined)
}

/** What models can be asked for. */
export type GatewayOperation = NonNullable<
  NonNullable<Operations['createKey']['body']>['operations']
>[number]
