import {
  type Fields,
  listOf,
  objectOf,
  parseJson,
  spliceFields,
  spliceItems,
} from '@sluice/contract'
import { usualRequest } from '../../inspected.ts'
import type { FormatName } from '../../client-format.ts'
import type { Inspected, Native, NativeReading } from '../../protocol.ts'
import { registeredTypes } from '../../registered-types.ts'
import { isServerSent } from '../generate-content.ts'
import { contentUsage } from '../content-usage.ts'
import { takesStops } from '../../stops/stop-rule.ts'
import { isCarried } from '../signatures.ts'
import { geminiStops } from '../stop-rule.ts'
import { adaptedContents } from './adapted-contents.ts'
import type { AddressOf } from './address.ts'
import { namedInGemini } from './named.ts'
import { createChatWatcher } from './watcher.ts'

type Natives = { readonly [F in FormatName]?: Native }

/** The formats of Gemini's own API. The model is in the address, so the body is sent unchanged. */
export function geminiNatives(address: AddressOf): Natives {
  return {
    generateContent: {
      ...native(address, 'generateContent', inspectContents),
      takes: takesStopWords,
      adapted: adaptedContents,
    },
    streamGenerateContent: {
      ...native(address, 'streamGenerateContent', inspectContents),
      takes: takesStopWords,
      adapted: adaptedContents,
      framing: (query) => (isServerSent(query) ? 'sse' : 'json-array'),
    },
    countTokens: native(address, 'countTokens', inspectContents, nameInner),
  }
}

/** Embedding requests repeat the model in the body. */
export function geminiEmbedNatives(address: AddressOf): Natives {
  return {
    embedContent: native(address, 'embedContent', () => embedding, nameModel),
    batchEmbedContents: native(address, 'batchEmbedContents', () => embedding, nameModels),
  }
}

/** `rewrite` writes the model's name into the body. */
function native(
  address: AddressOf,
  method: string,
  inspect: Native['inspect'],
  rewrite: (body: Uint8Array, model: string) => Uint8Array = (body) => body,
): Native {
  return {
    inspect,
    request: ({ body, model, query, settings }) => ({
      method: 'POST',
      path: address(model, method, settings) + (query === '' ? '' : `?${query}`),
      body: { kind: 'bytes', contentType: 'application/json', bytes: rewrite(body, model) },
    }),
  }
}

const embedding: Inspected = { ...usualRequest, read: readContent }

function readContent(body: Fields): NativeReading {
  return { usage: contentUsage(body) }
}

/** Reasoning of another provider may be carried in place of a signature; Gemini itself would reject it. */
function inspectContents(request: unknown): Inspected {
  const { contents } = objectOf(request) as { readonly contents?: unknown }
  const isForeign = listOf(contents)
    .flatMap((content) => listOf(objectOf(content)['parts']))
    .some((part) => {
      const { thoughtSignature: signature, thought_signature: snake } = objectOf(part)
      return isCarried(signature ?? snake)
    })
  return {
    ...usualRequest,
    isForeign,
    named: namedInGemini(request),
    repaired: registeredTypes(contents),
    watcher: createChatWatcher,
    read: readContent,
  }
}

/** More stop sequences than Gemini takes are cut by the gateway, as those of other clients. */
function takesStopWords(request: unknown): boolean {
  const { generationConfig, generation_config: snake } = objectOf(request)
  return [generationConfig, snake].map(objectOf).every((config) => {
    const { stopSequences, stop_sequences: words = stopSequences } = config
    return takesStops(words, geminiStops)
  })
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
