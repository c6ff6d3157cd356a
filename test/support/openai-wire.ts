/** What an OpenAI-speaking upstream says, for fake ones. */

export function chatReply(content: string, further: object = {}): object {
  return {
    id: 'chatcmpl-up1',
    object: 'chat.completion',
    created: 1_760_000_001,
    model: 'up-model-2026',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content, refusal: null },
        finish_reason: 'stop',
        logprobs: null,
      },
    ],
    usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
    system_fingerprint: 'fp_up',
    ...further,
  }
}

export function chunk(delta: object, finish: string | null = null, further: object = {}): object {
  return {
    id: 'chatcmpl-up1',
    object: 'chat.completion.chunk',
    created: 1_760_000_001,
    model: 'up-model-2026',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...further,
  }
}

export const usageChunk = {
  ...chunk({}),
  choices: [],
  usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
}

export const done = 'data: [DONE]\n\n'

export const textStream: readonly (string | object)[] = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ content: 'Hel' }),
  chunk({ content: 'lo' }),
  chunk({}, 'stop'),
  usageChunk,
  done,
]
