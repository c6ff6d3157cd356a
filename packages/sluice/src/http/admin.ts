import {
  invalidRequest,
  type OperationName,
  operationNames,
  operations,
  validate,
} from '@sluice/contract'
import { type Call, openTrail } from '../gateway/gateway.ts'
import { explainCall } from '../gateway/explain.ts'
import { type ClientFormat, formats } from '@sluice/protocols'
import { parseJsonObject, readBody } from './body.ts'
import { publicAddress } from './public-address.ts'
import type { Address, Exchange } from './server.ts'
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
  const call = callFor(exchange, path, body as Readonly<Record<string, unknown>>)
  reply.send(await explainCall(gateway, call))
}

function callFor(
  exchange: Exchange,
  address: string,
  body: Readonly<Record<string, unknown>>,
): Call {
  const { gateway, id, key, signal } = exchange
  const [path = '', query = ''] = address.split('?')
  const { operation, format, parameters } = addressed(path)
  const schema = format?.request ?? operations[operation].request
  const merged = format ? { ...body, ...parameters } : { ...parameters, ...body }
  const valid = validate(schema, merged) as Readonly<Record<string, unknown>>
  if (!format) (operations[operation].check as ((value: unknown) => void) | undefined)?.(valid)
  return {
    id,
    key,
    operation,
    ...(format && { format }),
    request: valid,
    raw: Buffer.from(JSON.stringify(body)),
    headers: {},
    query,
    publicAddress: publicAddress(exchange),
    stream: format?.streams ?? valid['stream'] === true,
    signal,
    trail: openTrail(gateway.now()),
  }
}

interface Addressed {
  readonly operation: OperationName
  readonly format?: ClientFormat
  readonly parameters: Readonly<Record<string, string>>
}

function addressed(path: string): Addressed {
  for (const format of formats)
    for (const own of format.paths) {
      const parameters = matchPath(pathPattern(own), path)
      if (parameters) return { operation: format.operation, format, parameters }
    }
  for (const operation of operationNames) {
    if (operations[operation].method !== 'POST') continue
    for (const own of operations[operation].paths) {
      const parameters = matchPath(pathPattern(own), path)
      if (parameters) return { operation, parameters }
    }
  }
  throw invalidRequest(`${path.slice(0, 200)} is no address of an inference operation`, 'path')
}
