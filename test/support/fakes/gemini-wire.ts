/** Responses of generateContent for fake upstreams: whole responses and both kinds of streams. */
import type { ServerResponse } from 'node:http'
import { formatJson } from '../../../packages/contract/src/wire/json.ts'
import { type SeenRequest, sse } from './fake-upstream.ts'

export type GeminiPart = Readonly<Record<string, unknown>>

/** 40 of 100 prompt tokens were cached; 18 output tokens and 12 thinking tokens. */
const geminiUsage = {
  promptTokenCount: 100,
  candidatesTokenCount: 18,
  totalTokenCount: 130,
  cachedContentTokenCount: 40,
  thoughtsTokenCount: 12,
  promptTokensDetails: [{ modality: 'TEXT', tokenCount: 100 }],
  cacheTokensDetails: [{ modality: 'TEXT', tokenCount: 40 }],
}

let count = 0

function answer(candidate: object): object {
  return {
    candidates: [candidate],
    usageMetadata: geminiUsage,
    modelVersion: 'gemini-3-pro-preview',
    responseId: `JniLacKqGqH0xs0P0O7${String(count).padStart(4, '0')}`,
  }
}

function geminiAnswer(parts: readonly GeminiPart[], further: object = {}): object {
  count += 1
  return answer({ content: { parts, role: 'model' }, finishReason: 'STOP', index: 0, ...further })
}

/** One fragment per part, with text split into words; the finish reason comes with an empty text, as in Gemini 3. */
function geminiFragments(parts: readonly GeminiPart[], further: object = {}): readonly object[] {
  count += 1
  const small = parts.flatMap((part): readonly GeminiPart[] => {
    const { text, thoughtSignature, ...rest } = part
    if (typeof text !== 'string') return [part]
    const words = text.match(/\S*\s*/g)?.filter((piece) => piece !== '') ?? []
    return words.map((word, index) => ({
      ...rest,
      text: word,
      ...(index === words.length - 1 && thoughtSignature !== undefined && { thoughtSignature }),
    }))
  })
  return [
    ...small.map((part) => answer({ content: { parts: [part], role: 'model' }, index: 0 })),
    answer({
      content: { parts: [{ text: '' }], role: 'model' },
      finishReason: 'STOP',
      index: 0,
      ...further,
    }),
  ]
}

/** Responds to generateContent and to both kinds of streamGenerateContent with these parts. */
export async function answerContent(
  seen: SeenRequest,
  response: ServerResponse,
  parts: readonly GeminiPart[],
): Promise<void> {
  if (!seen.path.includes(':streamGenerateContent')) {
    response.writeHead(200, { 'content-type': 'application/json; charset=UTF-8' })
    response.end(formatJson(geminiAnswer(parts)))
    return
  }
  const fragments = geminiFragments(parts).map((fragment) => formatJson(fragment))
  if (seen.path.includes('alt=sse'))
    return sse(
      response,
      fragments.map((fragment) => `data: ${fragment}\r\n\r\n`),
    )
  const last = fragments.length - 1
  return sse(
    response,
    fragments.map((text, index) => `${index === 0 ? '[' : ','}${text}${index === last ? ']' : ''}`),
    { type: 'application/json; charset=UTF-8' },
  )
}

/** Sends an error response in the API's format. */
export function refuseContent(response: ServerResponse, message: string): void {
  response.writeHead(400, { 'content-type': 'application/json; charset=UTF-8' })
  response.end(JSON.stringify({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }))
}
