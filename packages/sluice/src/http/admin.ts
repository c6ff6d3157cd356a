import { invalidRequest, operations } from '@sluice/contract'
import { type ClientFormat, formats } from '@sluice/protocols'
import { explainCall } from '../gateway/kept/explain.ts'
import type { Address, Exchange } from './address.ts'
import { parseJsonObject, readBody } from './body.ts'
import { createCall } from './create-call.ts'
import { matchPath, pathPattern } from './urls.ts'

/** What only administrators may ask. */
export const adminAddresses: readonly Address[] = [
  { method: 'POST', path: '/admin/v1/explain', access: 'administrator', serve: explain },
]

/** `{path, request}`: the address a request is for, default chat completions, and its JSON body. */
async function explain(exchange: Exchange): Promise<void> {
  const { gateway, options, reply, request } = exchange
  const raw = await readBody(request.raw, options.bodyBytesMax)
  const asked = parseJsonObject(raw, request.headers['content-type'])
  const path = asked['path'] ?? '/v1/chat/completions'
  if (typeof path !== 'string') throw invalidRequest("'path' must be a string", 'path')
  const body = asked['request']
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalidRequest("'request' must be an object", 'request')
  const [pathname = '', query = ''] = path.split('?')
  const { format, parameters } = addressed(pathname)
  const call = createCall(exchange, {
    format,
    fields: body as Readonly<Record<string, unknown>>,
    raw: Buffer.from(JSON.stringify(body)),
    parameters,
    query,
    headers: {},
  })
  reply.send(await explainCall(gateway, call))
}

interface Addressed {
  readonly format: ClientFormat
  readonly parameters: Readonly<Record<string, string>>
}

function addressed(path: string): Addressed {
  for (const format of formats) {
    if (operations[format.operation].method !== 'POST') continue
    for (const own of format.paths) {
      const parameters = matchPath(pathPattern(own), path)
      if (parameters) return { format, parameters }
    }
  }
  throw invalidRequest(`${path.slice(0, 200)} is no address of an inference operation`, 'path')
}
