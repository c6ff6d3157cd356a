import { vectorFromBase64 } from '../../embedding-reply.ts'
import {
  type EmbedReply,
  type EmbedRequest,
  type Fields,
  GatewayError,
  isObject,
  listOf,
  objectOf,
  someText,
} from '@sluice/contract'
import { missingParameter } from '../../missing-parameter.ts'
import type { ClientFormat } from '../../client-format.ts'
import { plainMeasure } from '../../measure.ts'
import { inputTypeOf } from '../embed-task.ts'
import { geminiError } from './error.ts'
import { nameLeftOut } from './fields.ts'
import { refuse } from './refuse.ts'
import { pick } from '../spelling.ts'
import { checkPartKind, textsOf } from './messages.ts'
import { methodPaths } from './paths.ts'
import { respellContent, respellRequests } from './respell.ts'
import {
  BatchEmbedContentsReply,
  BatchEmbedContentsRequest,
  EmbedContentReply,
  EmbedContentRequest,
} from './schema.ts'

/** https://ai.google.dev/api/embeddings#method:-models.embedcontent. */
export const embedContent: ClientFormat<'embed'> = {
  id: 'embedContent',
  operation: 'embed',
  summary: 'Create an embedding',
  tag: 'Gemini',
  paths: methodPaths('embedContent'),
  request: EmbedContentRequest,
  reply: EmbedContentReply,
  example: { content: { parts: [{ text: 'A gate across a channel of water' }] } },
  respell: respellContent,
  measure: () => plainMeasure,
  outputLimit: 'none',
  continues: 'none',
  textsOf: 'none',
  messages: 'none',
  toCanonical(request, context) {
    const fields = objectOf(request)
    nameLeftOut(EmbedContentRequest, fields, context)
    return { model: modelOf(fields), input: textOf(fields, ''), ...optionsOf(fields, '') }
  },
  fromCanonical(reply) {
    const [embedding = { values: [] }] = embeddingsOf(reply)
    return { embedding, usageMetadata: usageOf(reply) }
  },
  error: geminiError,
  modelIn: 'path',
  paramOf: paramOfEmbed,
}

/** https://ai.google.dev/api/embeddings#method:-models.batchembedcontents. */
export const batchEmbedContents: ClientFormat<'embed'> = {
  ...embedContent,
  id: 'batchEmbedContents',
  summary: 'Create embeddings of several contents',
  paths: methodPaths('batchEmbedContents'),
  request: BatchEmbedContentsRequest,
  reply: BatchEmbedContentsReply,
  example: { requests: [{ content: { parts: [{ text: 'A gate across a channel of water' }] } }] },
  respell: respellRequests,
  toCanonical(request, context) {
    const fields = objectOf(request)
    nameLeftOut(BatchEmbedContentsRequest, fields, context)
    const requests = listOf(fields['requests']).filter(isObject)
    const [first = {}] = requests
    const options = optionsOf(first, 'requests[0].')
    for (const [index, each] of requests.entries()) {
      const own = optionsOf(each, `requests[${index}].`)
      if (own.dimensions !== options.dimensions || own.input_type !== options.input_type)
        throw new GatewayError(
          'unsupported_value',
          'All requests of a batch must have the same task and size with this model',
          { param: `requests[${index}]` },
        )
    }
    const input = requests.map((each, index) => textOf(each, `requests[${index}].`))
    return { model: modelOf(fields), input, ...options }
  },
  fromCanonical: (reply) => ({ embeddings: embeddingsOf(reply), usageMetadata: usageOf(reply) }),
  paramOf: (canonical) => {
    const place = /^input\[(\d+)\]/.exec(canonical)?.[1]
    return place === undefined
      ? `requests[0].${paramOfEmbed(canonical)}`
      : `requests[${place}].content`
  },
}

function modelOf(fields: Fields): string {
  return String(fields['model'])
}

function textOf(fields: Fields, root: string): string {
  const parts = listOf(objectOf(fields['content'])['parts']).filter(isObject)
  for (const [index, part] of parts.entries()) {
    checkPartKind(part, `${root}content.parts[${index}]`)
    if (part['text'] == null) refuse(`${root}content.parts[${index}]`, 'only text')
  }
  const text = textsOf(parts).join('')
  if (text === '') throw missingParameter(`${root}content.parts[0].text`)
  return text
}

function optionsOf(fields: Fields, root: string): Pick<EmbedRequest, 'dimensions' | 'input_type'> {
  const dimensions = pick(fields, 'outputDimensionality')
  const task = someText(pick(fields, 'taskType'))
  const isAsked = task !== undefined && task !== 'TASK_TYPE_UNSPECIFIED'
  const inputType = isAsked ? inputTypeOf(task) : undefined
  if (isAsked && inputType === undefined) refuse(`${root}taskType`)
  if (someText(pick(fields, 'title')) !== undefined) refuse(`${root}title`)
  if (pick(fields, 'autoTruncate') === false) refuse(`${root}autoTruncate`)
  return {
    ...(typeof dimensions === 'number' ? { dimensions } : {}),
    ...(inputType === undefined ? {} : { input_type: inputType }),
  }
}

function embeddingsOf({ data }: EmbedReply): readonly { readonly values: readonly number[] }[] {
  return data
    .toSorted((left, right) => left.index - right.index)
    .map(({ embedding }) => ({
      // base64 is never requested here, but an upstream may send it anyway.
      values: typeof embedding === 'string' ? vectorFromBase64(embedding) : embedding,
    }))
}

function usageOf({ usage }: EmbedReply): Fields {
  return { promptTokenCount: usage.prompt_tokens, totalTokenCount: usage.total_tokens }
}

const places: Readonly<Record<string, string>> = {
  input: 'content',
  dimensions: 'outputDimensionality',
  input_type: 'taskType',
}

function paramOfEmbed(canonical: string): string {
  return places[canonical.split(/[.[]/)[0] ?? ''] ?? canonical
}
