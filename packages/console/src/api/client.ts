import { type Operations, places } from './operations.ts'

export type OperationId = keyof Operations

/** The input of an operation: its body, and the path and query parameters it takes. */
export interface OperationInput<Id extends OperationId> {
  readonly path?: Operations[Id]['path']
  readonly query?: Operations[Id]['query']
  readonly body?: Operations[Id]['body']
  readonly signal?: AbortSignal
}

export type Reply<Id extends OperationId> = Operations[Id]['reply']

/** An error response of the gateway, or the reason why no response arrived. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** 0 if the gateway could not be reached. */
  readonly status: number
  /** The path of the field at fault, if any. */
  readonly param: string | undefined

  constructor(message: string, status: number, param?: string) {
    super(message)
    this.status = status
    this.param = param
  }
}

/** The gateway accepts changes made with a session only with this header, which pages of other origins cannot send. */
export const sessionHeaders = { 'x-sluice-console': '1' }

/** Called when the gateway reports that nobody is signed in any more. */
let signedOut = (): void => {}

/** Sets the function that is called whenever a response says that the session has ended. */
export function onSignedOut(listener: () => void): void {
  signedOut = listener
}

/**
 * Sends a request to the gateway with this browser's session.
 *
 * @throws ApiError
 */
export async function ask<Id extends OperationId>(
  id: Id,
  asked: OperationInput<Id> = {},
): Promise<Reply<Id>> {
  const { body, signal } = asked
  const [method] = places[id]
  const response = await reached(addressOf(id, asked), {
    method,
    headers: {
      accept: 'application/json',
      ...sessionHeaders,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  })
  // The gateway's own document describes this reply.
  if (response.ok) return (await response.json().catch(() => undefined)) as Reply<Id>
  if (response.status === 401 && id !== 'signIn') signedOut()
  throw await errorIn(response)
}

/** The address of an operation relative to this page, because the gateway may be served below another path. */
export function addressOf<Id extends OperationId>(
  id: Id,
  { path, query }: OperationInput<Id>,
): string {
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

/** The error that a response reports. */
export async function errorIn(response: Response): Promise<ApiError> {
  const { status } = response
  const answered: unknown = await response.json().catch(() => undefined)
  const { error } = (answered ?? {}) as {
    readonly error?: { readonly message?: string; readonly param?: string | null }
  }
  return new ApiError(error?.message ?? `Status ${status}`, status, error?.param ?? undefined)
}

/** The operations that models can be called for. */
export type GatewayOperation = NonNullable<
  NonNullable<Operations['createKey']['body']>['operations']
>[number]
