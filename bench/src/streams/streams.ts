import {
  deepseekTools,
  groqChat,
  groqTools,
  moonshotChat,
  openaiChat,
  openaiTools,
  xaiChat,
} from './chat-events.ts'
import { geminiText, geminiTools } from './gemini-events.ts'
import { messagesText, messagesTools } from './messages-events.ts'
import { responsesText, responsesTools } from './responses-events.ts'
import { Seeded } from './seeded.ts'

/** What a client speaks, and an upstream. */
export type Format = 'chat' | 'responses' | 'messages' | 'gemini'

/** A stream with the shapes of real ones, in which every value depends on the seed. */
export interface StreamKind {
  /** Also the model's name in requests. */
  readonly name: string
  readonly title: string
  readonly format: Format
  /** Its name in the gateway. */
  readonly provider: string
  /** The documents of the events, in order. `length` is about how many there are. */
  readonly events: (random: Seeded, length: number) => readonly object[]
}

const kind = (
  name: string,
  title: string,
  [format, provider]: readonly [Format, string],
  events: StreamKind['events'],
): StreamKind => ({ name, title, format, provider, events })

const openai = ['chat', 'openai'] as const
const responses = ['responses', 'openai-responses'] as const
const messages = ['messages', 'anthropic'] as const
const gemini = ['gemini', 'google'] as const

export const streamKinds: readonly StreamKind[] = [
  kind('chat', 'chat of OpenAI', openai, openaiChat),
  kind('chat-tools', 'chat of OpenAI, tool calls', openai, openaiTools),
  kind(
    'deepseek',
    'chat of DeepSeek, reasoning and a tool call',
    ['chat', 'deepseek'],
    deepseekTools,
  ),
  kind('groq', 'chat of Groq', ['chat', 'groq'], groqChat),
  kind('groq-tools', 'chat of Groq, tool calls', ['chat', 'groq'], groqTools),
  kind('moonshot', 'chat of Moonshot, reasoning', ['chat', 'moonshotai'], moonshotChat),
  kind('xai', 'chat of xAI, reasoning', ['chat', 'xai'], xaiChat),
  kind('responses', 'Responses', responses, responsesText),
  kind('responses-tools', 'Responses, reasoning and tool calls', responses, responsesTools),
  kind('messages', 'Messages', messages, messagesText),
  kind('messages-tools', 'Messages, thinking and a tool call', messages, messagesTools),
  kind('gemini', 'Gemini', gemini, geminiText),
  kind('gemini-tools', 'Gemini, tool calls', gemini, geminiTools),
]

/** Throws an Error for a name that no stream has. */
export function streamKind(name: string): StreamKind {
  const found = streamKinds.find((one) => one.name === name)
  if (!found) throw new Error(`There is no stream ${name}`)
  return found
}

/** Events of one stream. */
export const eventsUsual = 100

/** The documents of one stream as JSON. */
export function documentsOf({ events }: StreamKind, seed: number, length = eventsUsual) {
  return events(new Seeded(seed), length).map((document) => JSON.stringify(document))
}

/** The documents as they are sent, one event each, with what ends the stream. */
export function framedEvents(format: Format, documents: readonly string[]): readonly string[] {
  if (format === 'chat') return [...documents, '[DONE]'].map((one) => `data: ${one}\n\n`)
  // Google's server ends lines with CRLF.
  if (format === 'gemini') return documents.map((one) => `data: ${one}\r\n\r\n`)
  return documents.map((one) => `event: ${typeOf(one)}\ndata: ${one}\n\n`)
}

function typeOf(document: string): string {
  return /^\{"type":"([\w.]+)"/.exec(document)?.[1] ?? ''
}
