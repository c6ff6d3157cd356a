import { countTokens } from '../gateway/count-tokens.ts'
import { programVersion } from '../config/version.ts'
import { handle } from '../gateway/handle.ts'
import { createResponse } from '../gateway/responses.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { type OperationName, operations } from '@sluice/contract'
import { createVideo } from '../gateway/videos.ts'
import { type ClientFormat, formats } from '@sluice/protocols'
import { adminAddresses } from './admin.ts'
import { defaultStreamTimes } from './deliver.ts'
import { documentAddresses } from './docs.ts'
import { healthAddresses } from './health.ts'
import { imageAddresses } from './images.ts'
import { type Inference, serveInference } from './inference.ts'
import { modelAddresses } from './model-addresses.ts'
import { notImplemented } from './not-implemented.ts'
import { publicAddress } from './public-address.ts'
import { responseAddresses } from './responses.ts'
import type { Address, Exchange } from './server.ts'
import { matchPath, pathPattern } from './urls.ts'
import { videoAddresses } from './videos.ts'

/** Every address of the gateway. */
export function installRoutes(gateway: Gateway): readonly Address[] {
  return [
    ...operationAddresses(),
    ...formatAddresses(),
    ...modelAddresses,
    ...videoAddresses,
    ...imageAddresses,
    ...healthAddresses(gateway),
    ...documentAddresses(openApi),
    ...responseAddresses,
    ...adminAddresses,
    ...notImplemented,
  ]
}

async function openApi(): Promise<object> {
  const { createOpenApi } = await import('./openapi.ts')
  return createOpenApi(programVersion())
}

/** Operations about a task are answered from the store, in videos.ts. */
const elsewhere: ReadonlySet<OperationName> = new Set(['getVideo', 'downloadVideo'])

const handlers: Readonly<Partial<Record<OperationName, Inference['handle']>>> = { createVideo }

function operationAddresses(): readonly Address[] {
  return (Object.keys(operations) as OperationName[])
    .filter((name) => !elsewhere.has(name))
    .flatMap((operation) =>
      operations[operation].paths.map((path) => ({
        method: 'POST' as const,
        path,
        access: 'caller' as const,
        serve: (exchange: Exchange) =>
          serve(exchange, { operation, handle: handlers[operation] ?? handle }),
      })),
    )
}

async function serve(exchange: Exchange, inference: Inference): Promise<void> {
  const { request, reply, gateway, options, id, key, parameters, signal } = exchange
  await serveInference(request, reply, {
    inference,
    incoming: {
      gateway,
      key,
      id,
      bodyBytesMax: options.bodyBytesMax,
      publicAddress: publicAddress(exchange),
      parameters,
      signal,
      streamTimes: options.streamTimes ?? defaultStreamTimes,
    },
  })
}

/** Formats whose verb follows the model (`{model}:generateContent`) share one address, told apart by their ending. */
function formatAddresses(): readonly Address[] {
  const plain = formats.flatMap((format) =>
    format.paths
      .filter((path) => !path.includes('}:'))
      .map((path): Address => addressOf(path, format)),
  )
  const verbs = formats.flatMap((format) =>
    format.paths.filter((path) => path.includes('}:')).map((path) => ({ path, format })),
  )
  const roots = new Set(verbs.map(({ path }) => path.slice(0, path.indexOf('{'))))
  return [
    ...plain,
    ...[...roots].map((root) =>
      verbAddress(
        root,
        verbs.filter(({ path }) => path.startsWith(root)),
      ),
    ),
  ]
}

function addressOf(path: string, format: ClientFormat): Address {
  return {
    method: 'POST',
    path,
    access: 'caller',
    error: (error, id) => format.error(error, id),
    serve: (exchange) => serve(exchange, inferenceOf(format)),
  }
}

function inferenceOf(format: ClientFormat): Inference {
  const { id, operation, counted } = format
  if (counted) return { operation, format, handle: countTokens }
  return { operation, format, handle: id === 'responses' ? createResponse : handle }
}

function verbAddress(
  root: string,
  verbs: readonly { readonly path: string; readonly format: ClientFormat }[],
): Address {
  const patterns = verbs.map(({ path, format }) => ({ pattern: pathPattern(path), format }))
  const [first] = patterns
  return {
    method: 'POST',
    path: `${root}{verb}`,
    access: 'caller',
    ...(first && { error: (error, id) => first.format.error(error, id) }),
    async serve(exchange) {
      const path = exchange.request.url.split('?')[0] ?? ''
      for (const { pattern, format } of patterns) {
        const parameters = matchPath(pattern, path)
        if (parameters) return serve({ ...exchange, parameters }, inferenceOf(format))
      }
      return exchange.reply.callNotFound()
    },
  }
}
