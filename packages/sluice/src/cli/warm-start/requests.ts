import type { Address } from '@sluice/server/address.ts'

/** The client formats of a warm start. */
export type WarmFormat = 'chat' | 'messages' | 'responses' | 'gemini'

/** A request that a caller of the warm start sends. */
export interface WarmRequest {
  readonly path: string
  readonly body: string
}

/** Of 2 KB, as most requests have at least. */
const prompt = 'word '.repeat(380)

type Written = (model: string, stream: boolean) => WarmRequest

const written: Readonly<Record<WarmFormat, Written>> = {
  chat: (model, stream) => ({
    path: '/v1/chat/completions',
    body: JSON.stringify({
      model,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: prompt },
      ],
      ...(stream && { stream, stream_options: { include_usage: true } }),
    }),
  }),
  messages: (model, stream) => ({
    path: '/v1/messages',
    body: JSON.stringify({
      model,
      max_tokens: 1_024,
      system: 'Be brief.',
      messages: [{ role: 'user', content: prompt }],
      ...(stream && { stream }),
    }),
  }),
  responses: (model, stream) => ({
    path: '/v1/responses',
    body: JSON.stringify({ model, input: prompt, ...(stream && { stream }) }),
  }),
  gemini: (model, stream) => ({
    path: `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: prompt }] }] }),
  }),
}

/** Whether a warm start calls an address. */
export function isWarmed({ method, path }: Pick<Address, 'method' | 'path'>): boolean {
  return method === 'POST' && warmedPaths.has(path)
}

const warmedPaths: ReadonlySet<string> = new Set([
  '/v1/chat/completions',
  '/v1/messages',
  '/v1/responses',
  '/v1beta/models/{verb}',
])

/** Which formats are asked of an upstream with a protocol, its own ones first. */
const asked: readonly {
  readonly protocols: readonly string[]
  /** The name of a provider with this protocol in the catalogue. */
  readonly provider: string
  readonly formats: readonly WarmFormat[]
}[] = [
  { protocols: ['openai'], provider: 'openai', formats: ['chat', 'responses', 'messages'] },
  { protocols: ['anthropic'], provider: 'anthropic', formats: ['messages', 'chat'] },
  { protocols: ['gemini', 'vertex'], provider: 'google', formats: ['gemini', 'chat'] },
]

/** The providers that a warm start asks. */
export const warmProviders: readonly string[] = asked.map(({ provider }) => provider)

/**
 * What is asked, in turn and without an end, where upstreams have these protocols: every second request is the most common one,
 * and every second one of each kind is streamed.
 */
export function* warmRequests(protocols: ReadonlySet<string>): Generator<WarmRequest, never> {
  const used = asked.filter((one) => one.protocols.some((protocol) => protocols.has(protocol)))
  const pairs = [0, 1, 2].flatMap((rank) =>
    (used.length === 0 ? asked.slice(0, 1) : used).flatMap(({ provider, formats }) => {
      const format = formats[rank]
      return format === undefined ? [] : [{ format, model: `${provider}/warm` }]
    }),
  )
  const both = pairs.map(({ format, model }) =>
    [false, true].map((stream) => written[format](model, stream)),
  )
  const [most = [], ...others] = both
  for (;;) {
    yield* most
    for (const other of others) {
      yield* other
      yield* most
    }
  }
}
