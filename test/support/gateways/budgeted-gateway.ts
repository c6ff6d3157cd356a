import { expect } from 'vitest'
import { granted } from '../administrate.ts'
import { answerMessage, anthropicMessage, textBlock } from '../fakes/anthropic-wire.ts'
import { type Answering, fakeUpstream, json, sse } from '../fakes/fake-upstream.ts'
import { chatReply, chunk, done } from '../fakes/openai-wire.ts'
import { start, until } from '../start.ts'

const budget = 10_000_000
/** The input tokens of the model that is `known`, which writes 30,000 at most. */
export const window = 50_000
/** One millionth of a dollar for each token. */
const price = { input: 1, output: 1, tools: { web_search: 0.01 } }

const replies: Answering = (seen, response) => {
  if (seen.path.includes('generateContent'))
    return json(response, {
      candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 },
    })
  if (seen.path.includes('messages'))
    return answerMessage(seen, response, anthropicMessage([textBlock('Hi')]))
  if (seen.path.includes('responses'))
    return json(response, {
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      status: 'completed',
      model: 'm',
      output: [
        {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
        },
      ],
      usage: {
        input_tokens: 7,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 3,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 10,
      },
    })
  if (seen.path.endsWith('/completions') && !seen.path.includes('chat'))
    return json(response, {
      id: 'cmpl-1',
      object: 'text_completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, text: 'Hi', finish_reason: 'stop', logprobs: null }],
      usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
    })
  if (seen.body['stream'] === true)
    return sse(response, [chunk({ content: 'Hi' }), chunk({}, 'stop'), done])
  return json(response, chatReply('Hi'))
}

export type BudgetedGateway = Awaited<ReturnType<typeof openBudgeted>>

/** A gateway in front of upstreams of four formats, each with the models `m` and `known`. */
export async function openBudgeted() {
  await using opened = new AsyncDisposableStack()
  let held: (() => void)[] = []
  let isHeld = false
  const upstream = opened.use(
    await fakeUpstream((seen, response, request) => {
      if (!isHeld || seen.method !== 'POST') return replies(seen, response, request)
      held.push(() => void replies(seen, response, request))
    }),
  )
  const provider = (type: 'openai' | 'openai-responses' | 'anthropic' | 'gemini') => ({
    type,
    baseUrl: upstream.url,
    key: 'k',
    sharedIds: 'allow' as const,
    models: ['m', { id: 'known', inputTokenLimit: window, outputTokenLimit: 30_000 }],
  })
  const gateway = opened.use(
    await start({
      prices: { '*': price },
      defaults: { retries: { attempts: 1 } },
      providers: {
        up: provider('openai'),
        resp: provider('openai-responses'),
        claude: provider('anthropic'),
        google: provider('gemini'),
      },
    }),
  )

  /** A key of its own with a budget. */
  async function keyWith(further: object = {}, limitMicroUsd = budget): Promise<string> {
    const budgets = [{ id: 'b', window: 'month', limitMicroUsd }]
    const asked = { name: 'k', budgets, ...further }
    const { secret } = await granted(gateway, 'POST /admin/v1/keys', asked)
    return secret
  }

  async function remaining(key: string): Promise<number> {
    const { limits } = (await (await gateway.request('/v1/usage', { key })).json()) as {
      limits: { kind: string; remaining: number }[]
    }
    return limits.find(({ kind }) => kind === 'budget')?.remaining ?? Number.NaN
  }

  /** What is reserved while a call is at the upstream; the error if it did not come there. */
  async function reservedFor(path: string, body: object, further: object = {}): Promise<Seen> {
    const key = await keyWith(further)
    isHeld = true
    held = []
    let refused: Response | undefined
    const asking = gateway.post(path, body, { key }).then((answer) => {
      if (answer.status >= 400) refused = answer
      return answer
    })
    try {
      await until(() => held.length > 0 || refused !== undefined)
      if (refused) return { refused: refused.status, ...((await refused.json()) as ErrorBody) }
      return { reserved: budget - (await remaining(key)), headers: (await finish()).headers }
    } finally {
      isHeld = false
    }
    async function finish() {
      isHeld = false
      for (const answer of held.splice(0)) answer()
      const answer = await asking
      expect(answer.status, await answer.clone().text()).toBe(200)
      await answer.arrayBuffer()
      return answer
    }
  }

  const moved = opened.move()
  return {
    gateway,
    upstream,
    keyWith,
    reservedFor,
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}

interface Seen extends Partial<ErrorBody> {
  readonly refused?: number
  readonly reserved?: number
  readonly headers?: Headers
}

interface ErrorBody {
  readonly error: { readonly message: string; readonly param?: string }
}
