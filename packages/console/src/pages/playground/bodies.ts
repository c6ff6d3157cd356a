import { type Fields, isFields, parseJson } from '../../parts/fields.ts'
import type { ToolCall } from './outcome.ts'

/** The values of the chat form. */
export interface ChatForm {
  readonly system: string
  readonly prompt: string
  readonly tools: string
  readonly schema: string
  /** The voice of a spoken response; if empty, the response is text. */
  readonly voice: string
  /** Parameters that are given, by their names in the request. */
  readonly numbers: Readonly<Partial<Record<NumberName, number>>>
  /** The reasoning effort; if empty, the model's own. */
  readonly effort: string
  /** One stop sequence per line. */
  readonly stop: string
}

/** The numeric parameters of a chat completion in the form, with their bounds. */
export const chatNumbers = {
  max_completion_tokens: { min: 1, step: 1 },
  temperature: { min: 0, max: 2, step: 0.1 },
  top_p: { min: 0, max: 1, step: 0.05 },
  seed: { step: 1 },
} as const
export type NumberName = keyof typeof chatNumbers

/** The field that does not hold valid JSON. */
export interface FormError {
  readonly field: 'tools' | 'schema' | 'body'
}

export interface Body {
  readonly body: Fields
}

/** A chat completion request without its model. */
export async function chatBody(form: ChatForm, file: File | null): Promise<Body | FormError> {
  const { system, prompt, effort } = form
  const stop = form.stop.split('\n').filter((line) => line !== '')
  const tools = parseJson(form.tools)
  const schema = parseJson(form.schema)
  if (form.tools.trim() !== '' && !Array.isArray(tools)) return { field: 'tools' }
  if (form.schema.trim() !== '' && !isFields(schema)) return { field: 'schema' }
  const text = { type: 'text', text: prompt }
  return {
    body: {
      messages: [
        ...(system === '' ? [] : [{ role: 'system', content: system }]),
        { role: 'user', content: file ? [text, await partOf(file)] : prompt },
      ],
      // Audio is not streamed, because a player could not open the streamed chunks as a file.
      ...(form.voice === ''
        ? { stream: true, stream_options: { include_usage: true } }
        : { modalities: ['text', 'audio'], audio: { voice: form.voice, format: 'wav' } }),
      ...form.numbers,
      ...(effort !== '' && { reasoning_effort: effort }),
      ...(stop.length > 0 && { stop }),
      ...(Array.isArray(tools) && { tools }),
      ...(isFields(schema) && {
        response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
      }),
    },
  }
}

/** The same chat followed by the model's tool calls and their results. */
export function withResults(
  body: Fields,
  text: string,
  results: readonly (readonly [call: ToolCall, result: string])[],
): Fields {
  const called = {
    role: 'assistant',
    content: text === '' ? null : text,
    tool_calls: results.map(([{ id, name, arguments: given }]) => ({
      id,
      type: 'function',
      function: { name, arguments: given },
    })),
  }
  const answers = results.map(([{ id }, content]) => ({ role: 'tool', tool_call_id: id, content }))
  return withMessages(body, [called, ...answers])
}

/** The same chat followed by the response and a reply to it. */
export function withReply(body: Fields, text: string, reply: string): Fields {
  return withMessages(body, [
    { role: 'assistant', content: text },
    { role: 'user', content: reply },
  ])
}

/** The user's last reply to a response; undefined at the beginning of a chat, and after tool results. */
export function replyIn({ messages }: Fields): string | undefined {
  if (!Array.isArray(messages)) return undefined
  const [before, last] = messages.slice(-2).filter(isFields)
  const { role, content } = last ?? {}
  const isReply = before?.['role'] === 'assistant' && role === 'user'
  return isReply && typeof content === 'string' ? content : undefined
}

function withMessages({ messages, ...rest }: Fields, further: readonly Fields[]): Fields {
  return { ...rest, messages: [...(Array.isArray(messages) ? messages : []), ...further] }
}

export function parsedBody(text: string): Body | FormError {
  const body = parseJson(text)
  return isFields(body) ? { body } : { field: 'body' }
}

/** An image as a data URL, and audio as base64. */
async function partOf(file: File): Promise<object> {
  const url = await dataUrlOf(file)
  if (!file.type.startsWith('audio/')) return { type: 'image_url', image_url: { url } }
  const format = file.type.includes('mpeg') ? 'mp3' : 'wav'
  return { type: 'input_audio', input_audio: { data: url.slice(url.indexOf(',') + 1), format } }
}

function dataUrlOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () =>
      resolve(typeof reader.result === 'string' ? reader.result : ''),
    )
    reader.addEventListener('error', () => reject(new Error(`${file.name} cannot be read`)))
    reader.readAsDataURL(file)
  })
}
