import {
  type Fields,
  isObject,
  listOf,
  objectOf,
  parseJson,
  spliceFields,
  spliceItems,
} from '@sluice/contract'
import type { FormatName } from '../../client-format.ts'
import { readEffort } from '../../efforts.ts'
import { isKnownGemini, takesPenalties, thinkingStyleOf } from '../../families/gemini.ts'
import { usualRequest } from '../../inspected.ts'
import type { Change, NativeTarget } from '../../native-target.ts'
import { isNeutral } from '../../neutral-values.ts'
import { limitsOf, loweredLimits } from '../../output-limit.ts'
import type { Inspected, Native, NativeReading } from '../../protocol.ts'
import { registeredTypes } from '../../registered-types.ts'
import { geminiStops, takesStops } from '../../stops/stop-rule.ts'
import { contentUsage } from '../usage.ts'
import { isServerSent } from '../generate-content.ts'
import { isCarried } from '../signatures.ts'
import { camelCase } from '../letter-case.ts'
import { pick, spelled } from '../spelling.ts'
import type { AddressOf } from './address.ts'
import { namedInGemini } from './named.ts'
import { objectDeclarations } from './object-declarations.ts'
import { signedCalls } from './signed-calls.ts'
import { thinkingConfig } from './thinking.ts'
import { createChatWatcher } from './watcher.ts'

type Natives = { readonly [F in FormatName]?: Native }

/** The formats of Gemini's own API. The model is in the address, so the body is sent unchanged. */
export function geminiNatives(address: AddressOf) {
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
  } satisfies Natives
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
    .some((part) => isCarried(pick(objectOf(part), 'thoughtSignature')))
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

/**
 * What a Gemini model does not accept in its own format, and the form in which it does: limits, schemas, calls without
 * signatures, penalties, and how much to think (Gemini API, thinking guide). Both spellings of a name are read; the caller's is
 * kept.
 */
function adaptedContents(
  request: unknown,
  _found: Inspected,
  target: NativeTarget,
): readonly Change[] {
  const lowered = loweredLimits(request, limitsOf.gemini, target)
  if (!isKnownGemini(target.family)) return lowered
  const fields = objectOf(request)
  const changed = [
    ...lowered,
    ...objectDeclarations(fields, target),
    ...signedCalls(request, target),
  ]
  const name = givenName(fields, 'generationConfig')
  if (name === undefined) return changed
  const config = objectOf(fields[name])
  return [...changed, ...penalties(config, name, target), ...thinking(config, name, target)]
}

/** The name of a field in the spelling of the request; undefined if the request does not have it. */
function givenName(fields: Fields, name: string): string | undefined {
  const own = spelled(fields, name)
  return fields[own] == null ? undefined : own
}

function penalties(config: Fields, name: string, target: NativeTarget): readonly Change[] {
  if (takesPenalties(target.family)) return []
  return ['presencePenalty', 'frequencyPenalty']
    .flatMap((field) => givenName(config, field) ?? [])
    .filter((field) => !isNeutral('presence_penalty', config[field]))
    .map((field): Change => {
      target.leftOut(`${name}.${field}`, 'the model rejects it')
      return { path: [name, field], value: undefined }
    })
}

function thinking(config: Fields, name: string, target: NativeTarget): readonly Change[] {
  const own = givenName(config, 'thinkingConfig')
  const given = own === undefined ? undefined : config[own]
  if (own === undefined || !isObject(given)) return []
  const level = givenName(given, 'thinkingLevel')
  const budget = givenName(given, 'thinkingBudget')
  const path = [name, own] as const
  if (thinkingStyleOf(target.family) === 'none') {
    if (level === undefined && !(Number(given[budget ?? '']) > 0)) return []
    target.leftOut(path.join('.'), 'the model does not think')
    return [{ path, value: undefined }]
  }
  // With both, the model itself has to say which one counts.
  if ((level === undefined) === (budget === undefined)) return []
  const written = level ?? budget ?? ''
  const effort = readEffort(String(given[written]).toLowerCase())
  const asked =
    level === undefined
      ? { thinking_budget: Number(given[written]) }
      : { reasoning_effort: effort ?? null }
  const fitted = thinkingConfig(
    { model: target.model, messages: [], ...asked },
    {
      family: target.family,
      leftOut: (_, reason) => target.leftOut(`${path.join('.')}.${written}`, reason),
    },
  )
  if (fitted === undefined) return []
  const { includeThoughts: _, ...amount } = fitted
  const isSame = Object.entries(amount).every(
    ([field, value]) =>
      camelCase(written) === field && String(given[written]).toUpperCase() === String(value),
  )
  if (isSame) return []
  const { [written]: _given, ...rest } = given
  return [{ path, value: { ...rest, ...amount } }]
}
