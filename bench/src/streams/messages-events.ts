// Streams of Anthropic's Messages (https://platform.claude.com/docs/en/build-with-claude/streaming).
import { type Seeded, toolArguments } from './seeded.ts'

function begin(random: Seeded, further: object): object {
  return {
    type: 'message_start',
    message: {
      model: 'claude-sonnet-4-5-20250929',
      id: `msg_01${random.letters(22)}`,
      type: 'message',
      role: 'assistant',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: random.between(10, 999),
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
        output_tokens: random.between(1, 9),
        service_tier: 'standard',
        ...further,
      },
    },
  }
}

const ping = { type: 'ping' }

function block(index: number, content_block: object, deltas: readonly object[]) {
  return [
    { type: 'content_block_start', index, content_block },
    ping,
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
}

function textBlock(random: Seeded, index: number, length: number) {
  const deltas = random.pieces(length - 3, 1, 6).map((text) => ({ type: 'text_delta', text }))
  return block(index, { type: 'text', text: '' }, deltas)
}

function end(random: Seeded, stop_reason: string, further: object = {}) {
  const usage = {
    input_tokens: random.between(10, 999),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: random.between(100, 999),
  }
  return [
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage, ...further },
    { type: 'message_stop' },
  ]
}

export function messagesText(random: Seeded, length: number): readonly object[] {
  return [
    begin(random, { inference_geo: 'not_available' }),
    ...textBlock(random, 0, length - 3),
    ...end(random, 'end_turn', { context_management: { applied_edits: [] } }),
  ]
}

/** Thinks, speaks, and calls a tool: each for a third of the stream. */
export function messagesTools(random: Seeded, length: number): readonly object[] {
  const third = Math.floor(length / 3) - 1
  const thoughts = random.pieces(third - 4, 1, 3).map((thinking) => ({
    type: 'thinking_delta',
    thinking,
  }))
  const signature = { type: 'signature_delta', signature: random.letters(332) }
  const written = toolArguments(random, (third - 4) * 4)
  const inputs = Array.from({ length: third - 4 }, (_, index) => ({
    type: 'input_json_delta',
    partial_json: written.slice(index * 4, index * 4 + (index === third - 5 ? 5 : 4)).join(''),
  }))
  const tool = { type: 'tool_use', id: `toolu_01${random.letters(22)}`, name: 'convert', input: {} }
  return [
    begin(random, {}),
    ...block(0, { type: 'thinking', thinking: '', signature: '' }, [...thoughts, signature]),
    ...textBlock(random, 1, third),
    ...block(2, tool, [{ type: 'input_json_delta', partial_json: '' }, ...inputs]),
    ...end(random, 'tool_use'),
  ]
}
