import fc from 'fast-check'
import { parseJson } from '../../../packages/contract/src/wire/json.ts'
import { argumentsText } from './arbitrary-chat.ts'

/** A conversation independent of any protocol, and how a client of each format writes it. */
export interface Talk {
  readonly system: string | undefined
  readonly turns: readonly Turn[]
  readonly last: readonly Part[]
}

/** A user's question, the calls made to answer it, step by step, the answer, and an instruction after it. */
export interface Turn {
  readonly asked: readonly Part[]
  readonly steps: readonly Step[]
  readonly answer: string
  /** Cannot be expressed by Gemini's clients. */
  readonly late: string | undefined
}

export interface Step {
  readonly said: string | undefined
  readonly calls: readonly Call[]
}

export interface Call {
  readonly id: string
  readonly name: string
  /** A JSON object. */
  readonly input: string
  readonly result: string
}

export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'picture' | 'document'; readonly base64: string }

/** What every protocol keeps: text that is not blank. */
export const words = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .map((text) => text.trim())
  .filter((text) => text !== '')
export const toolName = fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_-]{0,12}$/)
/** Tools return text or JSON. */
export const toolResult = fc.oneof(words, argumentsText)

const base64 = fc.base64String({ minLength: 4, maxLength: 16 })
const text = words.map((said): Part => ({ kind: 'text', text: said }))
const media = fc
  .record({ kind: fc.constantFrom('picture' as const, 'document' as const), base64 })
  .map((part): Part => part)
const parts = fc.array(fc.oneof(text, text, media), { minLength: 1, maxLength: 3 })

const call = fc.record({ name: toolName, input: argumentsText, result: toolResult })
const step = fc.record({
  said: fc.option(words, { nil: undefined }),
  calls: fc.array(call, { minLength: 1, maxLength: 3 }),
})
const turn = fc.record({
  asked: parts,
  steps: fc.array(step, { maxLength: 2 }),
  answer: words,
  late: fc.option(words, { nil: undefined }),
})

export const talk: fc.Arbitrary<Talk> = fc
  .record({
    system: fc.option(words, { nil: undefined }),
    turns: fc.array(turn, { maxLength: 2 }),
    last: parts,
  })
  .map(({ turns, ...rest }) => ({
    ...rest,
    turns: turns.map(({ steps, ...own }, turnNumber) => ({
      ...own,
      steps: steps.map(({ said, calls }, stepNumber) => ({
        said,
        calls: calls.map((made, index) => ({
          ...made,
          id: `call_${turnNumber}_${stepNumber}_${index}`,
        })),
      })),
    })),
  }))

const pictureUrl = (data: string): string => `data:image/png;base64,${data}`
const documentUrl = (data: string): string => `data:application/pdf;base64,${data}`

function resultObject(result: string): unknown {
  try {
    const value = parseJson(result)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // Not JSON: plain text.
  }
  return { output: result }
}

type Written = Readonly<Record<string, unknown>>

function chat({ system, turns, last }: Talk): Written {
  const user = (asked: readonly Part[]) => ({
    role: 'user',
    content: asked.map((part) => {
      if (part.kind === 'text') return { type: 'text', text: part.text }
      return part.kind === 'picture'
        ? { type: 'image_url', image_url: { url: pictureUrl(part.base64) } }
        : { type: 'file', file: { filename: 'a.pdf', file_data: documentUrl(part.base64) } }
    }),
  })
  return {
    model: 'm',
    messages: [
      ...(system === undefined ? [] : [{ role: 'system', content: system }]),
      ...turns.flatMap(({ asked, steps, answer, late }) => [
        user(asked),
        ...steps.flatMap(({ said, calls }) => [
          {
            role: 'assistant',
            content: said ?? null,
            tool_calls: calls.map(({ id, name, input }) => ({
              id,
              type: 'function',
              function: { name, arguments: input },
            })),
          },
          ...calls.map(({ id, result }) => ({ role: 'tool', tool_call_id: id, content: result })),
        ]),
        { role: 'assistant', content: answer },
        ...(late === undefined ? [] : [{ role: 'system', content: late }]),
      ]),
      user(last),
    ],
  }
}

function messages({ system, turns, last }: Talk): Written {
  const blocks = (asked: readonly Part[]) =>
    asked.map((part) => {
      if (part.kind === 'text') return { type: 'text', text: part.text }
      const [type, mediaType] =
        part.kind === 'picture' ? ['image', 'image/png'] : ['document', 'application/pdf']
      return { type, source: { type: 'base64', media_type: mediaType, data: part.base64 } }
    })
  return {
    model: 'm',
    max_tokens: 1000,
    ...(system === undefined ? {} : { system }),
    messages: [
      ...turns.flatMap(({ asked, steps, answer, late }) => [
        { role: 'user', content: blocks(asked) },
        ...steps.flatMap(({ said, calls }) => [
          {
            role: 'assistant',
            content: [
              ...(said === undefined ? [] : [{ type: 'text', text: said }]),
              ...calls.map(({ id, name, input }) => ({
                type: 'tool_use',
                id,
                name,
                input: parseJson(input),
              })),
            ],
          },
          {
            role: 'user',
            content: calls.map(({ id, result }) => ({
              type: 'tool_result',
              tool_use_id: id,
              content: result,
            })),
          },
        ]),
        { role: 'assistant', content: answer },
        ...(late === undefined ? [] : [{ role: 'system', content: late }]),
      ]),
      { role: 'user', content: blocks(last) },
    ],
  }
}

function responses({ system, turns, last }: Talk): Written {
  const user = (asked: readonly Part[]) => ({
    role: 'user',
    content: asked.map((part) => {
      if (part.kind === 'text') return { type: 'input_text', text: part.text }
      return part.kind === 'picture'
        ? { type: 'input_image', image_url: pictureUrl(part.base64) }
        : { type: 'input_file', filename: 'a.pdf', file_data: documentUrl(part.base64) }
    }),
  })
  const said = (answer: string) => ({
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text: answer, annotations: [] }],
  })
  return {
    model: 'm',
    ...(system === undefined ? {} : { instructions: system }),
    input: [
      ...turns.flatMap(({ asked, steps, answer, late }) => [
        user(asked),
        ...steps.flatMap((each) => [
          ...(each.said === undefined ? [] : [said(each.said)]),
          ...each.calls.map(({ id, name, input }) => ({
            type: 'function_call',
            call_id: id,
            name,
            arguments: input,
          })),
          ...each.calls.map(({ id, result }) => ({
            type: 'function_call_output',
            call_id: id,
            output: result,
          })),
        ]),
        said(answer),
        ...(late === undefined ? [] : [{ role: 'system', content: late }]),
      ]),
      user(last),
    ],
  }
}

function generateContent({ system, turns, last }: Talk): Written {
  const content = (asked: readonly Part[]) => ({
    role: 'user',
    parts: asked.map((part) => {
      if (part.kind === 'text') return { text: part.text }
      const mimeType = part.kind === 'picture' ? 'image/png' : 'application/pdf'
      return { inlineData: { mimeType, data: part.base64 } }
    }),
  })
  return {
    model: 'm',
    ...(system === undefined ? {} : { systemInstruction: { parts: [{ text: system }] } }),
    contents: [
      ...turns.flatMap(({ asked, steps, answer }) => [
        content(asked),
        ...steps.flatMap(({ said, calls }) => [
          {
            role: 'model',
            parts: [
              ...(said === undefined ? [] : [{ text: said }]),
              ...calls.map(({ id, name, input }) => ({
                functionCall: { id, name, args: parseJson(input) },
              })),
            ],
          },
          {
            role: 'user',
            parts: calls.map(({ id, name, result }) => ({
              functionResponse: { id, name, response: resultObject(result) },
            })),
          },
        ]),
        { role: 'model', parts: [{ text: answer }] },
      ]),
      content(last),
    ],
  }
}

/** By the name of the client format; `chat` is the canonical form. */
export const writtenTalk: Readonly<Record<string, (told: Talk) => Written>> = {
  chat,
  generateContent,
  messages,
  responses,
}
