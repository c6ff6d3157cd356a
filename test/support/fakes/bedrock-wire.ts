/** Responses of Converse and ConverseStream of Amazon Bedrock, for fake upstreams. */
import type { ServerResponse } from 'node:http'
import { parseJson } from '../../../packages/contract/src/wire/json.ts'
import { converseFrames } from './aws-frames.ts'
import { json, type SeenRequest } from './fake-upstream.ts'
import type { Said } from './openai-wire.ts'

const usage = { inputTokens: 100, outputTokens: 30, totalTokens: 130 }
const pieces = (text: string) => text.match(/[\s\S]{1,5}/g) ?? []

/** Responds as Converse or ConverseStream. */
export async function answerConverse(
  seen: SeenRequest,
  response: ServerResponse,
  { text, calls = [] }: Said,
): Promise<void> {
  const stopReason = calls.length > 0 ? 'tool_use' : 'end_turn'
  if (!seen.path.endsWith('/converse-stream')) {
    const content = [
      ...(text === undefined ? [] : [{ text }]),
      ...calls.map(([toolUseId, name, input]) => ({
        toolUse: { toolUseId, name, input: parseJson(input) },
      })),
    ]
    const output = { message: { role: 'assistant', content } }
    return json(response, { output, stopReason, usage, metrics: { latencyMs: 1 } })
  }
  const first = text === undefined ? 0 : 1
  const events = [
    { messageStart: { role: 'assistant' } },
    ...pieces(text ?? '').map((piece) => delta(0, { text: piece })),
    ...(first === 1 ? [{ contentBlockStop: { contentBlockIndex: 0 } }] : []),
    ...calls.flatMap(([toolUseId, name, input], index) => {
      const contentBlockIndex = index + first
      return [
        { contentBlockStart: { contentBlockIndex, start: { toolUse: { toolUseId, name } } } },
        ...pieces(input).map((piece) => delta(contentBlockIndex, { toolUse: { input: piece } })),
        { contentBlockStop: { contentBlockIndex } },
      ]
    }),
    { messageStop: { stopReason } },
    { metadata: { usage, metrics: { latencyMs: 1 } } },
  ]
  response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' })
  response.end(converseFrames(events.map((event) => JSON.stringify(event))))
}

const delta = (contentBlockIndex: number, said: object) => ({
  contentBlockDelta: { contentBlockIndex, delta: said },
})
