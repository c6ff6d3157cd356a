import Anthropic from '@anthropic-ai/sdk'
import {
  type ChatChunk,
  type ChatDelta,
  type FinishReason,
  chat as operation,
} from '../../../packages/contract/src/operations/chat.ts'
import {
  type ChatRequest,
  ChatRequest as ChatRequestSchema,
} from '../../../packages/contract/src/operations/chat-request.ts'
import type { Step } from '../../../packages/contract/src/operations/operation.ts'
import { validate } from '../../../packages/contract/src/operations/validate.ts'
import { messages } from '../../../packages/protocols/src/anthropic/client/formats.ts'
import { formatContext } from '../codec-context.ts'

/** Processes a Messages request as the gateway does: validated, translated to the canonical form, validated again. */
export function canonical(request: object): ChatRequest {
  const checked = validate(messages.request, request)
  const value = validate(ChatRequestSchema, messages.toCanonical(checked, formatContext()))
  operation.check?.(value)
  return value
}

/** The chunks of one response. */
export function chunks(
  deltas: readonly ChatDelta[],
  finish: FinishReason = 'stop',
): readonly Step<ChatChunk>[] {
  const chunk = (delta: ChatDelta, finish_reason: FinishReason | null): Step<ChatChunk> => ({
    event: {
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 1_700_000_000,
      model: 'public-model',
      choices: [{ index: 0, delta, finish_reason }],
    },
  })
  return [
    chunk({ role: 'assistant', content: '' }, null),
    ...deltas.map((delta) => chunk(delta, null)),
    chunk({}, finish),
    { usage: { inputTokens: 10, outputTokens: 5, cachedInputTokens: 4 } },
  ]
}

/** The whole stream that a client gets for these steps. */
export function written(steps: readonly Step<ChatChunk>[], request: object = {}): string {
  const full = {
    model: 'm',
    max_tokens: 64,
    messages: [{ role: 'user', content: 'Hi' }],
    ...request,
  }
  const writer = messages.writer!(full, formatContext(), '')
  return steps.map((step) => writer.write(step)).join('') + writer.end()
}

/** The events by type with their data; checks the rules of the format on the way. */
export function eventsOf(wire: string): readonly Record<string, unknown>[] {
  const events = wire
    .split('\n\n')
    .filter((part) => part !== '')
    .map((part) => {
      const [, name, data] = /^event: ([a-z_]+)\ndata: (.*)$/s.exec(part)!
      const event = JSON.parse(data!) as Record<string, unknown>
      if (event['type'] !== name) throw new Error(`${name} is named ${String(event['type'])}`)
      return event
    })
  let next = 0
  let open = false
  for (const { type, index } of events) {
    if (type === 'content_block_start') {
      if (open || index !== next) throw new Error(`Block ${String(index)} begins out of turn`)
      open = true
    }
    if (type === 'content_block_delta' && (!open || index !== next)) throw new Error('Stray delta')
    if (type === 'content_block_stop') {
      if (!open || index !== next) throw new Error(`Block ${String(index)} ends out of turn`)
      open = false
      next += 1
    }
  }
  if (open) throw new Error('A block is left open')
  return events
}

/** The official SDK, with `wire` as the response to its only call. */
export function sdk(wire: string): Anthropic {
  return new Anthropic({
    apiKey: 'test',
    maxRetries: 0,
    fetch: () =>
      Promise.resolve(
        new Response(wire, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } }),
      ),
  })
}

/** The message that the official SDK assembles from a stream. */
export async function sdkMessage(wire: string): Promise<Anthropic.Message> {
  return sdk(wire)
    .messages.stream({ model: 'm', max_tokens: 64, messages: [{ role: 'user', content: 'Hi' }] })
    .finalMessage()
}
