// Streams of chat completions, written after the documentation of each provider: what their chunks hold, and in which order.
// https://platform.openai.com/docs/api-reference/chat-streaming, https://api-docs.deepseek.com/api/create-chat-completion,
// https://console.groq.com/docs/api-reference, https://platform.moonshot.ai/docs/api/chat, https://docs.x.ai/docs/api-reference
import { type Seeded, toolArguments } from './seeded.ts'

const object = 'chat.completion.chunk'
/** Tokens of the arguments of a streamed tool call. */
const argumentTokens = 24
/** OpenAI pads the text of an event to a multiple of this, so that its length does not tell the token. */
const paddedTo = 10

function createdBy(random: Seeded): number {
  return 1_760_000_000 + random.between(0, 30_000_000)
}

function openaiEnvelope(random: Seeded) {
  return {
    id: `chatcmpl-${random.letters(29)}`,
    object,
    created: createdBy(random),
    model: 'gpt-4.1-nano-2025-04-14',
    service_tier: 'default',
    system_fingerprint: `fp_${random.hex(10)}`,
  }
}

function openaiEvents(random: Seeded, deltas: readonly object[], finish: string) {
  const envelope = openaiEnvelope(random)
  const event = (delta: object, finish_reason: string | null = null) => {
    const spoken = Object.values(delta).find((value) => typeof value === 'string') ?? ''
    const length = JSON.stringify(spoken).length - 2
    const obfuscation = random.letters(length === 0 ? 7 : paddedTo - (length % paddedTo))
    const choices = [{ index: 0, delta, logprobs: null, finish_reason }]
    return { ...envelope, choices, usage: null, obfuscation }
  }
  const [prompt, cached] = [random.between(300, 900), random.between(0, 1) * 256]
  return [
    ...deltas.map((delta) => event(delta)),
    event({}, finish),
    {
      ...envelope,
      choices: [],
      usage: {
        prompt_tokens: prompt,
        completion_tokens: deltas.length,
        total_tokens: prompt + deltas.length,
        prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
        completion_tokens_details: {
          reasoning_tokens: 0,
          audio_tokens: 0,
          accepted_prediction_tokens: 0,
          rejected_prediction_tokens: 0,
        },
      },
      obfuscation: random.letters(7),
    },
  ]
}

export function openaiChat(random: Seeded, length: number): readonly object[] {
  const deltas = random.pieces(length - 3).map((content) => ({ content }))
  return openaiEvents(
    random,
    [{ role: 'assistant', content: '', refusal: null }, ...deltas],
    'stop',
  )
}

/** Three calls, one after the other. */
export function openaiTools(random: Seeded, length: number): readonly object[] {
  const calls = [0, 1, 2].flatMap((index) => {
    const id = `call_${random.letters(24)}`
    const name = random.pick(['convert_amount', 'find_note', 'add_note'])
    const [first, ...others] = toolArguments(random, Math.floor(length / 3) - 1)
    return [
      { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] },
      ...[first, ...others].map((piece) => ({
        tool_calls: [{ index, function: { arguments: piece } }],
      })),
    ]
  })
  return openaiEvents(random, [{ role: 'assistant', content: null }, ...calls], 'tool_calls')
}

/** Thinks, and then calls a tool. */
export function deepseekTools(random: Seeded, length: number): readonly object[] {
  const envelope = {
    id: random.uuid(),
    object,
    created: createdBy(random),
    model: 'deepseek-reasoner',
    system_fingerprint: `fp_${random.hex(10)}_prod0820_fp8_kvcache`,
  }
  const event = (
    delta: object,
    finish_reason: string | null = null,
    usage: object | null = null,
  ) => ({
    ...envelope,
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    usage,
  })
  const thoughts = length - argumentTokens - 3
  const id = `call_00_${random.letters(24)}`
  const [prompt, hits] = [random.between(700, 999), 640]
  const usage = {
    prompt_tokens: prompt,
    completion_tokens: thoughts + argumentTokens,
    total_tokens: prompt + thoughts + argumentTokens,
    prompt_tokens_details: { cached_tokens: hits },
    completion_tokens_details: { reasoning_tokens: thoughts },
    prompt_cache_hit_tokens: hits,
    prompt_cache_miss_tokens: prompt - hits,
  }
  return [
    event({ role: 'assistant', content: null, reasoning_content: '' }),
    ...random.pieces(thoughts).map((piece) => event({ content: null, reasoning_content: piece })),
    event({
      tool_calls: [
        { index: 0, id, type: 'function', function: { name: 'convert', arguments: '' } },
      ],
    }),
    ...toolArguments(random, argumentTokens).map((piece) =>
      event({ tool_calls: [{ index: 0, function: { arguments: piece } }] }),
    ),
    event({ content: '', reasoning_content: null }, 'tool_calls', usage),
  ]
}

function groqEvents(random: Seeded, deltas: readonly object[], finish: string) {
  const envelope = {
    id: `chatcmpl-${random.uuid()}`,
    object,
    created: createdBy(random),
    model: 'llama-3.3-70b-versatile',
    system_fingerprint: `fp_${random.hex(10)}`,
  }
  const event = (delta: object, finish_reason: string | null = null) => ({
    ...envelope,
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  })
  const seconds = () => random.between(10_000_000, 99_999_999) / 1e9
  const prompt = random.between(200, 900)
  const usage = {
    queue_time: seconds(),
    prompt_tokens: prompt,
    prompt_time: seconds(),
    completion_tokens: deltas.length,
    completion_time: seconds(),
    total_tokens: prompt + deltas.length,
    total_time: seconds(),
  }
  const id = `req_${random.letters(26, '0123456789abcdefghjkmnpqrstvwxyz')}`
  return [
    {
      ...event({ role: 'assistant', content: null }),
      x_groq: { id, seed: random.between(1e8, 999_999_999) },
    },
    ...deltas.map((delta) => event(delta)),
    { ...event({}, finish), x_groq: { id, usage }, usage },
  ]
}

export function groqChat(random: Seeded, length: number): readonly object[] {
  const deltas = random.pieces(length - 2).map((content) => ({ content }))
  return groqEvents(random, deltas, 'stop')
}

/** Many calls, each of them whole in one event. */
export function groqTools(random: Seeded, length: number): readonly object[] {
  const calls = Array.from({ length: length - 2 }, (_, index) => {
    const name = random.pick(['weather', 'convert', 'remind'])
    const called = { name, arguments: `{"n":${random.between(0, 9)}}` }
    const call = { id: random.letters(9), type: 'function', function: called, index }
    return { tool_calls: [call] }
  })
  return groqEvents(random, calls, 'tool_calls')
}

/** Thinks for a third of the stream, and then answers. */
export function moonshotChat(random: Seeded, length: number): readonly object[] {
  const envelope = {
    id: `chatcmpl-${random.letters(6)}`,
    created: createdBy(random),
    model: 'kimi-k3',
  }
  const event = (delta: object, finish_reason: string | null = null) => ({
    ...envelope,
    choices: [{ index: 0, delta, finish_reason }],
  })
  const thoughts = Math.floor(length / 3)
  const prompt = random.between(10, 99)
  const usage = {
    prompt_tokens: prompt,
    completion_tokens: length,
    total_tokens: prompt + length,
    completion_tokens_details: { reasoning_tokens: thoughts },
  }
  return [
    event({ role: 'assistant', reasoning_content: random.text(1) }),
    ...random.pieces(thoughts - 1).map((piece) => event({ reasoning_content: piece })),
    ...random.pieces(length - thoughts - 1).map((content) => event({ content })),
    { ...event({ content: random.text(1) }, 'stop'), usage },
  ]
}

/** Thinks for a third of the stream; its chunks are dated as they are made. */
export function xaiChat(random: Seeded, length: number): readonly object[] {
  const id = random.uuid()
  let created = createdBy(random)
  const system_fingerprint = `fp_${random.hex(10)}`
  const event = (choices: readonly object[], further: object = {}) => {
    if (random.between(1, 12) === 1) created += 1
    const model = 'grok-3-mini'
    return { id, object, created, model, choices, ...further, system_fingerprint }
  }
  const choice = (delta: object, further: object = {}) => [{ index: 0, delta, ...further }]
  const thoughts = Math.floor(length / 3)
  const [text, cached] = [random.between(100, 999), random.between(10, 99)]
  const usage = {
    prompt_tokens: text,
    completion_tokens: length - thoughts,
    total_tokens: text + length,
    prompt_tokens_details: {
      text_tokens: text,
      audio_tokens: 0,
      image_tokens: 0,
      cached_tokens: cached,
    },
    completion_tokens_details: {
      reasoning_tokens: thoughts,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
    num_sources_used: 0,
    cost_in_usd_ticks: random.between(1_000_000, 9_999_999),
  }
  return [
    event(choice({ reasoning_content: random.text(1), role: 'assistant' })),
    ...random.pieces(thoughts).map((piece) => event(choice({ reasoning_content: piece }))),
    ...random.pieces(length - thoughts - 3).map((content) => event(choice({ content }))),
    event(choice({}, { finish_reason: 'stop' })),
    event([], { usage }),
  ]
}
