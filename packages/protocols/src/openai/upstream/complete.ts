import {
  type CompleteChunk,
  type CompleteReply,
  type CompleteRequest,
  CompletionLogprobs,
  chatUsage,
  countOf,
  type Fields,
  GatewayError,
  isObject,
  matches,
  noUsage,
  objectOf,
  type Step,
  someText,
} from '@sluice/contract'
import { boundedList } from '../../bounded.ts'
import type { Static } from 'typebox'
import { withoutFields } from '../../decisions.ts'
import { bodyOf } from '../../failure.ts'
import { withoutNull } from '../../neutral-values.ts'
import { assertTexts, promptParts, promptTexts } from '../../prompt-parts.ts'
import type { Codec, CodecContext, Decoded, Received, StreamReader } from '../../protocol.ts'
import { eventObject } from '../../read-json.ts'
import { withCompletionStops } from '../../stops/with-stop-rule.ts'
import { usageIn } from '../../usage.ts'
import { createdOf } from './chat-reply.ts'
import { readContent } from './content.ts'
import { failureOf, finishReasonOf } from './finish-reasons.ts'
import { openaiStops } from './stops.ts'
import { createCompletionWatcher } from './watcher.ts'

export interface CompleteOptions {
  /** Default `/completions`. */
  readonly path?: string
  /**
   * Request fields that the upstream does not support. They are rejected, or left out if they only advise or have the default
   * value.
   */
  readonly lacks?: readonly string[]
  /** Whether it takes one text at a time. Default false: several texts or token ids, too. */
  readonly singlePrompt?: boolean
}

/** Codestral's continuing and filling of texts (https://docs.mistral.ai/api, FIM completions). */
export const mistralFim: CompleteOptions = {
  path: '/fim/completions',
  lacks: [
    'n',
    'best_of',
    'logprobs',
    'echo',
    'presence_penalty',
    'frequency_penalty',
    'logit_bias',
    'user',
  ],
  singlePrompt: true,
}

/** Text completions (https://platform.openai.com/docs/api-reference/completions). */
export function openaiComplete(options: CompleteOptions = {}): Codec<'complete'> {
  const { path = '/completions', singlePrompt = false } = options
  const codec: Codec<'complete'> = {
    encode: (request, context) => ({
      method: 'POST',
      path,
      body: { kind: 'json', value: completeBody(request, context, options) },
    }),
    decode: decodeComplete,
    ...(singlePrompt && { parts: (request) => promptParts(request) }),
    stream: { reader: createCompleteReader, watcher: createCompletionWatcher },
  }
  return withCompletionStops(codec, openaiStops)
}

function completeBody(
  request: CompleteRequest,
  context: CodecContext,
  { lacks = [], singlePrompt = false }: CompleteOptions,
): unknown {
  if (singlePrompt) assertTexts(request)
  const { stream, stream_options: streamOptions, ...rest } = request
  const prompt = singlePrompt ? promptTexts(request.prompt)[0] : request.prompt
  const known = withoutFields({ ...rest, prompt, model: context.model }, lacks, context)
  const body = withoutNull(known)
  if (stream !== true) return body
  return { ...body, stream, stream_options: { ...streamOptions, include_usage: true } }
}

function decodeComplete(received: Received, context: CodecContext): Decoded<'complete'> {
  const body = bodyOf(received)
  const choices = boundedList(body['choices'], 'choices').filter(isObject)
  if (choices.length === 0)
    throw new GatewayError('upstream_garbled', 'The upstream answered without a choice')
  const usage = usageIn(body)
  const reply: CompleteReply = {
    id: someText(body['id']) ?? context.newId('cmpl-'),
    object: 'text_completion',
    created: createdOf(body, context),
    model: context.publicModel,
    choices: choices.map((choice, position) => {
      const failure = failureOf(choice['finish_reason'])
      if (failure !== undefined) throw failure
      return {
        text: textOfChoice(choice),
        index: countOf(choice['index']) ?? position,
        logprobs: completionLogprobs(choice['logprobs']),
        finish_reason: finishReasonOf(choice['finish_reason'], false) ?? 'stop',
      }
    }),
    usage: chatUsage(usage ?? noUsage),
    system_fingerprint: someText(body['system_fingerprint']) ?? null,
  }
  return usage === undefined ? { reply } : { reply, usage }
}

/** A few upstreams respond to this operation in the form of chat completions. */
function textOfChoice(choice: Fields): string {
  const { text, message, delta } = choice
  if (typeof text === 'string') return text
  return readContent(objectOf(message ?? delta)['content']).text
}

function completionLogprobs(value: unknown): Static<typeof CompletionLogprobs> | null {
  return matches(CompletionLogprobs, value) ? value : null
}

function createCompleteReader(context: CodecContext): StreamReader<'complete'> {
  let envelope: Omit<CompleteChunk, 'choices'> | undefined
  const read = (chunk: Fields): readonly Step<CompleteChunk>[] => {
    const choices = boundedList(chunk['choices'], 'choices').filter(isObject)
    const usage = usageIn(chunk)
    const used = usage === undefined ? [] : [{ usage }]
    if (choices.length === 0) return used
    envelope ??= {
      id: someText(chunk['id']) ?? context.newId('cmpl-'),
      object: 'text_completion',
      created: createdOf(chunk, context),
      model: context.publicModel,
      system_fingerprint: someText(chunk['system_fingerprint']) ?? null,
    }
    const texts = choices.map((choice) => ({
      text: textOfChoice(choice),
      index: countOf(choice['index']) ?? 0,
      logprobs: completionLogprobs(choice['logprobs']),
      finish_reason: finishReasonOf(choice['finish_reason'], false) ?? null,
    }))
    return [{ event: { ...envelope, choices: texts } }, ...used]
  }
  return { read: (event) => read(eventObject(event) ?? {}), end: () => [] }
}
