import { operations } from '@sluice/contract'
import { type ClientFormat, type FormatName, formats } from '@sluice/protocols'
import { programVersion } from '../config/version.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { handle } from '../gateway/handle.ts'
import { countTokens } from '../gateway/kept/count-tokens.ts'
import { createResponse } from '../gateway/kept/responses.ts'
import { createVideo } from '../gateway/kept/videos.ts'
import type { Address } from './address.ts'
import { adminAddresses } from './admin.ts'
import { documentAddresses } from './docs.ts'
import { healthAddresses } from './health.ts'
import { imageAddresses } from './images.ts'
import { type Inference, serveInference } from './inference.ts'
import { modelAddresses } from './model-addresses.ts'
import { notImplemented } from './not-implemented.ts'
import { createOpenApi } from './openapi.ts'
import { responseAddresses } from './responses.ts'
import { matchPath, pathPattern } from './urls.ts'
import { videoAddresses } from './videos.ts'

/** Every address of the gateway. */
export function installRoutes(gateway: Gateway): readonly Address[] {
  return [
    ...formatAddresses(),
    ...modelAddresses,
    ...videoAddresses,
    ...imageAddresses,
    ...healthAddresses(gateway),
    ...documentAddresses(() => createOpenApi(programVersion())),
    ...responseAddresses,
    ...adminAddresses,
    ...notImplemented,
  ]
}

/** Tasks are answered from the store, in videos.ts. */
const elsewhere: ReadonlySet<FormatName> = new Set(['getVideo', 'downloadVideo'])

/** What brings a call of a format to its answer; the others go the usual way. */
const handlers: Readonly<Partial<Record<FormatName, Inference['handle']>>> = {
  createVideo,
  responses: createResponse,
}

function inferenceOf(format: ClientFormat): Inference {
  return { format, handle: format.counted ? countTokens : (handlers[format.id] ?? handle) }
}

/** Formats whose verb follows the model (`{model}:generateContent`) share one address, told apart by their ending. */
function formatAddresses(): readonly Address[] {
  const all = formats
    .filter(({ id }) => !elsewhere.has(id))
    .flatMap((format) => format.paths.map((path) => ({ path, format })))
  const verbs = all.filter(({ path }) => path.includes('}:'))
  const roots = new Set(verbs.map(({ path }) => path.slice(0, path.indexOf('{'))))
  return [
    ...all.filter(({ path }) => !path.includes('}:')).map(addressOf),
    ...[...roots].map((root) =>
      verbAddress(
        root,
        verbs.filter(({ path }) => path.startsWith(root)),
      ),
    ),
  ]
}

interface Placed {
  readonly path: string
  readonly format: ClientFormat
}

function addressOf({ path, format }: Placed): Address {
  const inference = inferenceOf(format)
  return {
    method: operations[format.operation].method,
    path,
    access: 'caller',
    error: (error, id) => format.error(error, id),
    serve: (exchange) => serveInference(exchange, inference),
  }
}

function verbAddress(root: string, verbs: readonly Placed[]): Address {
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
        if (parameters) return serveInference({ ...exchange, parameters }, inferenceOf(format))
      }
      return exchange.reply.callNotFound()
    },
  }
}
