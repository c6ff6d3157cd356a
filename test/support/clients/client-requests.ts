import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Started, testKey } from '../start.ts'

const folder = join(import.meta.dirname, '../../../../shared/client-requests')

/** The folder of requests recorded from clients in other languages, if available; it is stored beside the repository. */
export const clientRequestsFolder = existsSync(folder) ? folder : undefined

export interface ClientRequest {
  readonly method: string
  readonly path: string
  /** Where a key was, they say KEY. */
  readonly headers: Readonly<Record<string, string>>
  /** Absent for GET. */
  readonly body?: Readonly<Record<string, unknown>>
}

/** The names of the recorded requests. */
export const clientRequestNames: readonly string[] =
  clientRequestsFolder === undefined
    ? []
    : readdirSync(clientRequestsFolder)
        .filter((file) => file.endsWith('.json'))
        .map((file) => file.slice(0, -'.json'.length))
        .toSorted()

export function clientRequest(name: string): ClientRequest {
  return JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as ClientRequest
}

/** The same request for another model, which its body or, in Gemini's format, its path names. */
export function forModel(request: ClientRequest, model: string): ClientRequest {
  const { path, body } = request
  return {
    ...request,
    path: path.replace(/\/models\/[^:]+:/, `/models/${encodeURIComponent(model)}:`),
    ...(body && { body: 'model' in body ? { ...body, model } : body }),
  }
}

/** Sends a request as its client did, with the key of the tests. */
export function replay(
  gateway: Started,
  { method, path, headers, body }: ClientRequest,
): Promise<Response> {
  const own = Object.entries(headers).map(([name, value]) => [name, value.replace('KEY', testKey)])
  return gateway.request(path, {
    method,
    headers: Object.fromEntries(own) as Record<string, string>,
    ...(body && { body: JSON.stringify(body) }),
    key: null,
  })
}
