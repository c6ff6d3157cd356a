import type { ChatChunk, ChatReply } from '../../../contract/src/operations/chat.ts'
import type { ChatRequest } from '../../../contract/src/operations/chat-request.ts'
import { chat } from '../../src/chat/chat.ts'
import type { OperationContext } from '../../src/engine.ts'
import { engineContext } from './engine-context.ts'

/** A request without its model: every field the engine reads. */
export type Asked = Omit<ChatRequest, 'model'>

export async function replyTo(
  asked: Asked,
  context: OperationContext = engineContext(),
): Promise<ChatReply> {
  const result = await chat({ model: 'builtin-chat', ...asked }, context)
  if (result.kind !== 'reply') throw new Error(`Expected a reply, got ${result.kind}`)
  return result.reply
}

/** What the engine says to one user text at temperature 0. */
export async function say(text: string, more: Partial<Asked> = {}): Promise<string> {
  const reply = await replyTo({
    messages: [{ role: 'user', content: text }],
    temperature: 0,
    ...more,
  })
  return reply.choices[0]?.message.content ?? ''
}

/** What it says at the end of a conversation; lines begin with `S:`, `U:` or `A:`. */
export async function converse(
  lines: readonly string[],
  more: Partial<Asked> = {},
): Promise<string> {
  const roles = { S: 'system', U: 'user', A: 'assistant' } as const
  const messages = lines.map((line) => ({
    role: roles[line.charAt(0) as 'S' | 'U' | 'A'],
    content: line.slice(2),
  }))
  return say('', { messages, ...more })
}

export async function chunksOf(asked: Asked, context: OperationContext = engineContext()) {
  const result = await chat({ model: 'builtin-chat', ...asked, stream: true }, context)
  if (result.kind !== 'events') throw new Error(`Expected events, got ${result.kind}`)
  const chunks: ChatChunk[] = []
  const usages: unknown[] = []
  for await (const step of result.events) {
    if ('event' in step) chunks.push(step.event)
    else usages.push(step.usage)
  }
  return { chunks, usages }
}
