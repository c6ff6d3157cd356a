// An upstream stores spoken answers in the account that all keys share; only the key that received one may refer to
// its id.
import { expect, test } from 'vitest'
import { fakeUpstream, json, sse } from '../../support/fakes/fake-upstream.ts'
import { owner, stranger, withTwoKeys } from '../../support/gateways/two-keys.ts'
import { start } from '../../support/start.ts'

const spoken = (id: string) => ({ id, data: 'aGk=', expires_at: 2_000_000_000, transcript: 'Hi.' })
const asked = { role: 'user', content: 'Say it.' }
const audio = { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } }

const whole = (id: string) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [
    {
      index: 0,
      finish_reason: 'stop',
      message: { role: 'assistant', content: null, audio: spoken(id) },
    },
  ],
  usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
})

const chunk = (delta: object, reason: string | null) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: reason }],
})

/** A field that OpenAI does not have makes the gateway write the request anew. */
const ways = [
  ['passed', {}],
  ['translated', { top_k: 4 }],
] as const

test.each(ways)(
  'an audio answer can be referred to by its own key only, %s',
  async (_way, more) => {
    await using up = await fakeUpstream((_seen, response) => json(response, whole('audio_whole')))
    await using gateway = await start(withTwoKeys({ up }))
    const ask = (body: object, key: typeof owner) =>
      gateway.post('/v1/chat/completions', { model: 'up/m', ...audio, ...more, ...body }, key)
    const about = (id: string) => ({
      messages: [asked, { role: 'assistant', audio: { id } }, asked],
    })
    expect((await ask({ messages: [asked] }, owner)).status).toBe(200)
    up.answer((_seen, response) =>
      sse(response, [
        chunk({ role: 'assistant', audio: { id: 'audio_streamed', transcript: 'Hi.' } }, null),
        chunk({ audio: { data: 'aGk=' } }, null),
        chunk({}, 'stop'),
        'data: [DONE]\n\n',
      ]),
    )
    const streamed = await ask({ messages: [asked], stream: true }, owner)
    expect(await streamed.text()).toContain('audio_streamed')
    up.answer((_seen, response) => json(response, whole('audio_next')))
    const before = up.seen.length
    for (const id of ['audio_whole', 'audio_streamed', 'audio_of_nobody']) {
      const refused = await ask(about(id), stranger)
      expect(refused.status).toBe(400)
      expect(await refused.json()).toMatchObject({ error: { param: 'messages[1].audio.id' } })
    }
    expect(up.seen).toHaveLength(before)
    for (const id of ['audio_whole', 'audio_streamed'])
      expect((await ask(about(id), owner)).status).toBe(200)
    expect(up.seen).toHaveLength(before + 2)
  },
)
