import {
  type Fields,
  isObject,
  listOf,
  objectOf,
  parseJson,
  spliceFields,
  spliceItems,
} from '@sluice/contract'
import { createIdleWatcher } from '../../idle-watcher.ts'
import type { FormatName } from '../../client-format.ts'
import type { Native } from '../../protocol.ts'
import { registeredTypes } from '../../registered-types.ts'
import { isServerSent } from '../generate-content.ts'
import { contentUsage } from '../content-usage.ts'
import { takesStops } from '../../stops/stop-rule.ts'
import { isCarried } from '../signatures.ts'
import { geminiStops } from '../stop-rule.ts'
import { adaptedContents } from './adapted-contents.ts'
import type { AddressOf } from './address.ts'
import { createChatWatcher } from './watcher.ts'

type Natives = { readonly [F in FormatName]?: Native }

/** The formats of Gemini's own API. The model is in the address, so the body is sent unchanged. */
export function geminiNatives(address: AddressOf): Natives {
  return {
    generateContent: {
      ...native(address, 'generateContent', { fits: fitsGemini }),
      adapted: adaptedContents,
    },
    streamGenerateContent: {
      ...native(address, 'streamGenerateContent', { fits: fitsGemini }),
      adapted: adaptedContents,
      framing: (query) => (isServerSent(query) ? 'sse' : 'json-array'),
      watcher: createChatWatcher,
    },
    countTokens: native(address, 'countTokens', { fits: hasOnlyOwnSignatures, rewrite: nameInner }),
  }
}

/** Embedding requests repeat the model in the body. */
export function geminiEmbedNatives(address: AddressOf): Natives {
  return {
    embedContent: native(address, 'embedContent', { rewrite: nameModel }),
    batchEmbedContents: native(address, 'batchEmbedContents', { rewrite: nameModels }),
  }
}

interface NativeOptions {
  readonly fits?: (request: unknown) => boolean
  readonly rewrite?: (body: Uint8Array, model: string) => Uint8Array
}

function native(address: AddressOf, method: string, options: NativeOptions): Native {
  const { fits, rewrite } = options
  return {
    ...(fits === undefined ? {} : { fits, mends: registeredTypes }),
    request({ body, model, query, settings }) {
      const bytes = rewrite === undefined ? body : rewrite(body, model)
      return {
        method: 'POST',
        path: address(model, method, settings) + (query === '' ? '' : `?${query}`),
        body: { kind: 'bytes', contentType: 'application/json', bytes },
      }
    },
    watcher: createIdleWatcher,
    usage: (body) => contentUsage(objectOf(body)),
  }
}

/** More stop sequences than Gemini takes are cut by the gateway, as those of other clients. */
function fitsGemini(request: unknown): boolean {
  const { generationConfig, generation_config: snake } = objectOf(request)
  const stopsFit = [generationConfig, snake].map(objectOf).every((config) => {
    const { stopSequences, stop_sequences: words = stopSequences } = config
    return takesStops(words, geminiStops)
  })
  return stopsFit && hasOnlyOwnSignatures(request)
}

/** Reasoning of another provider may be carried in place of a signature; Gemini itself would reject it. */
function hasOnlyOwnSignatures(request: unknown): boolean {
  const { contents } = objectOf(request) as { readonly contents?: unknown }
  return listOf(contents)
    .flatMap((content) => listOf(objectOf(content)['parts']))
    .filter(isObject)
    .every((part) => !isCarried(part['thoughtSignature'] ?? part['thought_signature']))
}

/** Counting also accepts a whole generateContent request, which repeats the model. */
function nameInner(body: Uint8Array, model: string): Uint8Array {
  const inner = objectOf(jsonOf(body)['generateContentRequest'])
  if (!('model' in inner)) return body
  return spliceFields(body, { generateContentRequest: { ...inner, model: `models/${model}` } })
}

function nameModel(body: Uint8Array, model: string): Uint8Array {
  return 'model' in jsonOf(body) ? spliceFields(body, { model: `models/${model}` }) : body
}

function nameModels(body: Uint8Array, model: string): Uint8Array {
  return spliceItems(body, 'requests', { model: `models/${model}` })
}

function jsonOf(body: Uint8Array): Fields {
  return objectOf(parseJson(Buffer.from(body).toString('utf8')))
}
