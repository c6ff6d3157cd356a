import type { FakeUpstream } from '../fakes/fake-upstream.ts'
import { json } from '../fakes/fake-upstream.ts'
import { at, type Routes } from '../routes.ts'
import type { RequestOptions } from '../start.ts'

const ownerKey = 'sk-owner0123456789abcdef'
const strangerKey = 'sk-stranger0123456789abcdef'

export const owner: RequestOptions = { key: ownerKey }
export const stranger: RequestOptions = { key: strangerKey }

/** Settings with two keys in addition to the test's own, and these upstreams. */
export const withTwoKeys = (upstreams: Readonly<Record<string, FakeUpstream>>): Routes =>
  at(upstreams, {
    keys: [
      { name: 'owner', key: ownerKey },
      { name: 'stranger', key: strangerKey },
    ],
    builtin: { enabled: 'always' },
  })

/** A whole response of an upstream that supports Responses itself. */
export const upstreamResponse = (id: string, text: string): object => ({
  id,
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'm',
  output: [
    {
      type: 'message',
      id: `msg_of_${id}`,
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text, annotations: [] }],
    },
  ],
  usage: { input_tokens: 7, output_tokens: 3, total_tokens: 10 },
})

/** A video job as an upstream with OpenAI's format reports it. */
export const videoTask = (id: string, further: object = {}): object => ({
  id,
  object: 'video',
  model: 'sora',
  status: 'queued',
  progress: 0,
  created_at: 1,
  seconds: '4',
  size: '720x1280',
  ...further,
})

/** Most servers with OpenAI's chat do not support Responses; the gateway then keeps the conversation itself. */
export const noSuchAddress: (response: Parameters<typeof json>[0]) => void = (response) =>
  json(response, {}, { status: 404 })
