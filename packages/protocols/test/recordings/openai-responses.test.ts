import { describe, expect } from 'vitest'
import { codecContext, received } from '../../../../test/support/codec-context.ts'
import {
  decodedRecording,
  streamedRecording,
} from '../../../../test/support/formats/chat-answer.ts'
import {
  recordedLines,
  recording,
  testRecording,
} from '../../../../test/support/formats/recordings.ts'
import { responsesChat } from '../../src/openai-responses/upstream/chat.ts'

const chat = responsesChat()

const sql = [
  { id: 'call_custom_sql_001', name: 'write_sql', input: 'SELECT * FROM users WHERE age > 25' },
]

describe('whole responses', () => {
  testRecording('commentary and final answer are joined', () => {
    const { answer, usage } = decodedRecording(chat, 'openai/openai-phase.1.json')
    const [commentary, final] = answer.text.split('\n\nHere are some ')
    expect(commentary).toMatch(/^I’ll quickly check reliable, .* with links\.$/)
    expect(final).toMatch(/^\*\*latest AI updates for today/)
    expect(answer.finish).toBe('stop')
    expect(usage).toEqual({
      inputTokens: 7243,
      outputTokens: 423,
      cachedInputTokens: 3072,
      reasoningTokens: 58,
    })
  })

  testRecording('a call of a custom tool', () => {
    const { answer, reply, usage } = decodedRecording(chat, 'openai/openai-custom-tool.1.json')
    expect(answer.calls).toEqual(sql)
    expect(reply.choices[0]?.message.tool_calls?.[0]?.type).toBe('custom')
    expect(answer.finish).toBe('tool_calls')
    expect(usage).toMatchObject({ inputTokens: 50, outputTokens: 20 })
  })

  testRecording('a call of a tool that was not offered stays as the model made it', () => {
    const { answer, usage } = decodedRecording(chat, 'openai/parallel-tool-call-wrapper.1.json')
    expect(answer.calls).toMatchObject([{ id: 'call_parallel', name: 'parallel' }])
    const { tool_uses: uses } = JSON.parse(answer.calls[0]!.input) as { tool_uses: object[] }
    expect(uses).toHaveLength(2)
    expect(usage).toMatchObject({ inputTokens: 34, outputTokens: 28 })
  })

  testRecording('a call that wraps calls of offered tools is those calls', () => {
    const tools = ['weather', 'cityAttractions'].map((name) => ({
      type: 'function' as const,
      function: { name },
    }))
    const { reply } = chat.decode(
      received(recording('openai/parallel-tool-call-wrapper.1.json')),
      codecContext(),
      { model: 'm', messages: [{ role: 'user', content: 'x' }], tools },
    )
    expect(reply.choices[0]?.message.tool_calls?.map((call) => [call.id, call.function])).toEqual([
      ['call_parallel_0', { name: 'weather', arguments: '{"location":"San Francisco"}' }],
      ['call_parallel_1', { name: 'cityAttractions', arguments: '{"city":"Rome"}' }],
    ])
  })

  testRecording('encrypted reasoning is kept for the next turn', () => {
    const path = 'openai/openai-reasoning-encrypted-content.1.json'
    const { answer, usage } = decodedRecording(chat, path)
    expect(answer.text).toBe('12 + 7 = 19\n19 × 3 = 57\n57 × 10 = 570\n\nFinal result: 570')
    expect(answer.reasoning).toMatch(/^\*\*Reporting final result\*\*/)
    expect(answer.blocks).toMatchObject([
      {
        type: 'reasoning',
        id: 'rs_0f35ed53160b395301693cc95817ac8190b978637daea4987e',
        encrypted_content: expect.stringMatching(/^gAAAAABpPMlcH0HHEv5_/),
        summary: [answer.reasoning],
      },
    ])
    expect(usage).toEqual({
      inputTokens: 865,
      outputTokens: 163,
      cachedInputTokens: 0,
      reasoningTokens: 128,
    })
  })
})

describe('streamed responses', () => {
  testRecording('a custom tool’s input in pieces', async () => {
    const path = 'openai/openai-custom-tool.1.chunks.txt'
    const { answer, usage, verdicts } = await streamedRecording(chat, path)
    expect(answer.calls).toEqual(sql)
    expect(answer.finish).toBe('tool_calls')
    expect(usage).toMatchObject({ inputTokens: 50, outputTokens: 20 })
    expect(verdicts.at(-1)).toBe('terminal')
  })

  testRecording('messages of two phases; pieces left out of the recording come whole', async () => {
    const path = 'openai/openai-phase.1.chunks.txt'
    const { answer, usage } = await streamedRecording(chat, path)
    const [commentary, final] = answer.text.split('\n\nHere are a few ')
    expect(commentary).toMatch(/^Got it — I’ll quickly check .* with links\.$/)
    expect(final).toMatch(/^\*\*AI headlines for today/)
    expect(usage).toEqual({
      inputTokens: 7112,
      outputTokens: 463,
      cachedInputTokens: 3072,
      reasoningTokens: 64,
    })
  })

  // The first and the last line of this recording lack their closing brace, so the stream has no readable end.
  testRecording('a stream whose last event is broken has no finish', async () => {
    const path = 'openai/parallel-tool-call-wrapper.1.chunks.txt'
    const { answer, verdicts } = await streamedRecording(chat, path)
    expect(answer.calls).toMatchObject([{ id: 'call_parallel', name: 'parallel' }])
    expect(JSON.parse(answer.calls[0]!.input)).toHaveProperty('tool_uses')
    expect(answer.finish).toBeUndefined()
    expect(verdicts.filter((verdict) => verdict === 'garbage')).toHaveLength(2)
    expect(verdicts).not.toContain('terminal')
  })

  testRecording('an error event is the upstream’s own, whatever comes after it', async () => {
    const { error, answer } = await streamedRecording(chat, 'openai/openai-error.1.chunks.txt')
    expect(error?.code).toBe('upstream_rate_limited')
    expect(error?.details.upstreamCode).toBe('insufficient_quota')
    expect(error?.message).toMatch(/^You exceeded your current quota/)
    expect(answer.finish).toBeUndefined()
  })

  testRecording('a tool loop of four turns with encrypted reasoning', async () => {
    const path = 'openai/openai-reasoning-encrypted-content.1.chunks.txt'
    const turns = turnsOf(recordedLines(path))
    expect(turns).toHaveLength(4)
    const read = await Promise.all(turns.map((lines) => streamedRecording(chat, path, lines)))
    expect(read.map(({ answer }) => answer.finish)).toEqual([
      'tool_calls',
      'tool_calls',
      'tool_calls',
      'stop',
    ])
    expect(read.flatMap(({ answer }) => answer.calls.map(({ input }) => input))).toEqual([
      '{"a":12,"b":7,"op":"add"}',
      '{"a":19,"b":3,"op":"multiply"}',
      '{"a":57,"b":10,"op":"multiply"}',
    ])
    expect(read[0]!.answer.reasoning).toMatch(/^\*\*Calculating step-by-step using calculator\*\*/)
    expect(read[0]!.answer.blocks).toMatchObject([
      {
        type: 'reasoning',
        id: 'rs_01830d662ab3856501693c321405c88190be3ab04d5782d5f9',
        summary: [read[0]!.answer.reasoning],
      },
    ])
    expect(read[3]!.answer.text).toBe('The final result is **570**.')
    expect(read[3]!.usage).toMatchObject({ inputTokens: 299, outputTokens: 12 })
    for (const { verdicts } of read) expect(verdicts.at(-1)).toBe('terminal')
  })
})

/** The recording holds several streams one after the other. */
function turnsOf(lines: readonly string[]): string[][] {
  const turns: string[][] = []
  for (const line of lines)
    if (line.includes('"type":"response.created"')) turns.push([line])
    else turns.at(-1)?.push(line)
  return turns
}
