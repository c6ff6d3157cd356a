import { type Answering, type FakeUpstream, json, sse } from './fakes/fake-upstream.ts'
import { chatReply, textStream } from './fakes/openai-wire.ts'
import type { start } from './start.ts'

export type Routes = NonNullable<Parameters<typeof start>[0]>

export const ask = { messages: [{ role: 'user', content: 'Hi' }] }
export const error = (status: number, further: object = {}, headers: Record<string, string> = {}) =>
  ((_seen, response) =>
    json(
      response,
      { error: { message: 'said so', type: 't', param: null, code: null, ...further } },
      { status, headers },
    )) satisfies Answering
export const good: Answering = (_seen, response) => json(response, chatReply('Hello'))
export const streams: Answering = (_seen, response) => sse(response, textStream)

export function at(
  upstreams: Readonly<Record<string, FakeUpstream>>,
  further: Routes = {},
): Routes {
  const providers = Object.fromEntries(
    Object.entries(upstreams).map(([id, { url }]) => [
      id,
      { type: 'openai' as const, baseUrl: url, key: `key-of-${id}` },
    ]),
  )
  return { providers, ...further }
}
