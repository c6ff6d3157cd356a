import { type Answering, json } from '../fakes/fake-upstream.ts'
import type { Through } from '../gateways/scripted-gateway.ts'
import { streamedAnswer, wholeAnswer } from './client-answers.ts'

/** The client formats through which a caller can ask the gateway the same question. */
export const faces = ['chat', 'messages', 'responses', 'generateContent'] as const

export type Face = (typeof faces)[number]

/** What a caller receives. */
export interface Told {
  readonly text: string
  readonly calls: readonly { readonly name: string; readonly input: string }[]
  readonly finish: string
  /** The response as received. */
  readonly wire: string
}

type Fields = Readonly<Record<string, unknown>>

const parameters = { type: 'object', properties: {} }
const tool = { name: 'now', description: 'Says the time.' }

const requests: Readonly<Record<Face, (model: string, stream: boolean) => Fields>> = {
  chat: (model, stream) => ({
    model,
    stream,
    // A request in the upstream's own format would be passed on unchanged.
    messages: [{ role: 'user', content: 'What time is it?', server_tool_calls: [] }],
    tools: [{ type: 'function', function: { ...tool, parameters } }],
  }),
  messages: (model, stream) => ({
    model,
    stream,
    max_tokens: 100,
    messages: [{ role: 'user', content: 'What time is it?' }],
    tools: [{ ...tool, input_schema: parameters }],
  }),
  responses: (model, stream) => ({
    model,
    stream,
    input: 'What time is it?',
    tools: [{ type: 'function', ...tool, parameters, strict: false }],
  }),
  generateContent: () => ({
    contents: [{ role: 'user', parts: [{ text: 'What time is it?' }] }],
    tools: [{ functionDeclarations: [tool] }],
  }),
}

function pathOf(face: Face, model: string, stream: boolean): string {
  if (face === 'chat') return '/v1/chat/completions'
  if (face !== 'generateContent') return `/v1/${face}`
  return `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`
}

/** Sends a request in a client format; `further` is added to the request. */
export async function ask(
  { gateway, model }: Pick<Through, 'gateway' | 'model'>,
  face: Face,
  { stream, further = {} }: { readonly stream: boolean; readonly further?: Fields },
): Promise<{ readonly status: number; readonly wire: string; readonly headers: Headers }> {
  const body = { ...requests[face](model, stream), ...further }
  const response = await gateway.post(pathOf(face, model, stream), body)
  return { status: response.status, wire: await response.text(), headers: response.headers }
}

/** An upstream that supports OpenAI's chat completions but not its Responses API. */
export function chatOnly(answering: Answering): Answering {
  return (seen, response, request) =>
    seen.path.endsWith('/responses')
      ? json(response, { error: { message: 'Not found' } }, { status: 404 })
      : answering(seen, response, request)
}

/** The response as a client reads it. Throws if a stream does not end as its format requires. */
export function told(face: Face, wire: string, stream: boolean): Told {
  if (face === 'chat') return stream ? streamedChat(wire) : wholeChat(wire)
  const read = stream
    ? streamedAnswer[face]?.(wire)
    : wholeAnswer[face]?.(JSON.parse(wire) as Fields)
  if (read === undefined) throw new Error(`Nobody reads ${face}`)
  return { ...read, wire }
}

interface ChatMessage {
  readonly content?: string | null
  readonly tool_calls?: readonly {
    readonly index?: number
    readonly function?: { readonly name?: string; readonly arguments?: string }
  }[]
}

function wholeChat(wire: string): Told {
  const { choices } = JSON.parse(wire) as {
    choices: readonly { message: ChatMessage; finish_reason: string }[]
  }
  const [choice] = choices
  const calls = (choice?.message.tool_calls ?? []).map(({ function: called }) => ({
    name: called?.name ?? '',
    input: called?.arguments ?? '',
  }))
  const text = choice?.message.content ?? ''
  return { text, calls, finish: choice?.finish_reason ?? '', wire }
}

function streamedChat(wire: string): Told {
  const data = wire
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => event.slice('data: '.length))
  if (data.at(-1) !== '[DONE]') throw new Error('No [DONE]')
  const calls: { name: string; input: string }[] = []
  let text = ''
  let finish = ''
  for (const event of data.slice(0, -1)) {
    const { choices } = JSON.parse(event) as {
      choices: readonly { delta: ChatMessage; finish_reason: string | null }[]
    }
    for (const { delta, finish_reason: reason } of choices) {
      text += delta.content ?? ''
      finish = reason ?? finish
      for (const { index = 0, function: called } of delta.tool_calls ?? []) {
        const call = (calls[index] ??= { name: '', input: '' })
        call.name ||= called?.name ?? ''
        call.input += called?.arguments ?? ''
      }
    }
  }
  return { text, calls, finish, wire }
}

/** The pattern by which a stream of each format reports that the response failed. */
export const failureIn: Readonly<Record<Face, RegExp>> = {
  chat: /^data: \{"error":\{/m,
  messages: /^event: error$/m,
  responses: /^event: response\.failed$/m,
  generateContent: /"error":\{"code":/,
}
