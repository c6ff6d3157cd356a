// Upstreams of OpenAI's format that require their reasoning back, each in its own field: it is returned from every
// client format, and only to them.
import { expect, test } from 'vitest'
import {
  chatAgent,
  contentsAgent,
  messagesAgent,
  responsesAgent,
} from '../../support/clients/agents.ts'
import { type Answering, fakeUpstream, json, sse } from '../../support/fakes/fake-upstream.ts'
import { chatReply, chunk, done } from '../../support/fakes/openai-wire.ts'
import { start } from '../../support/start.ts'

type Fields = Readonly<Record<string, unknown>>

const call = (id: string) => ({
  id,
  type: 'function',
  function: { name: 'read_file', arguments: '{"path":"a"}' },
})

/** Two rounds of thinking and calling, then a text. */
function thinking(pieces: readonly Fields[], whole: Fields): Answering {
  return ({ path, body }, response) => {
    if (path.endsWith('/responses')) return json(response, {}, { status: 404 })
    const rounds = (body['messages'] as readonly Fields[]).filter(({ role }) => role === 'tool')
    const isOver = rounds.length === 2
    const calls = [call(`call${rounds.length}xxxx`)]
    if (body['stream'] !== true) {
      const message = isOver ? { content: 'Done.' } : { content: null, ...whole, tool_calls: calls }
      const choice = {
        index: 0,
        message: { role: 'assistant', ...message },
        finish_reason: isOver ? 'stop' : 'tool_calls',
      }
      return json(response, chatReply('', { choices: [choice] }))
    }
    const deltas = isOver
      ? [{ content: 'Done.' }]
      : [...pieces, { tool_calls: calls.map((each) => ({ index: 0, ...each })) }]
    return sse(response, [
      chunk({ role: 'assistant', content: '' }),
      ...deltas.map((delta) => chunk(delta)),
      chunk({}, isOver ? 'stop' : 'tool_calls'),
      done,
    ])
  }
}

const signed = { type: 'reasoning.text', format: 'anthropic-claude-v1', index: 0 }
const encrypted = { type: 'reasoning.encrypted', data: 'b2s=', id: 'rs_1', index: 1 }
const details = [{ ...signed, text: 'What is in a?', signature: 'c2lnbmVk' }, encrypted]
const part = { type: 'thinking', thinking: [{ type: 'text', text: 'What is in a?' }] }
const inPieces = ['What is', ' in a?']

const upstreams = {
  openrouter: {
    answering: thinking(
      [
        ...inPieces.map((text) => ({ reasoning: text, reasoning_details: [{ ...signed, text }] })),
        { reasoning_details: [{ ...signed, signature: 'c2lnbmVk' }] },
        { reasoning_details: [encrypted] },
      ],
      { reasoning: 'What is in a?', reasoning_details: details },
    ),
    returned: { reasoning_details: details },
  },
  mistral: {
    answering: thinking(
      inPieces.map((text) => ({
        content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }],
      })),
      { content: [part] },
    ),
    returned: { content: [part] },
  },
  ...Object.fromEntries(
    ['deepseek', 'moonshotai', 'alibaba', 'vllm'].map((provider) => [
      provider,
      {
        answering: thinking(
          inPieces.map((text) => ({ reasoning_content: text })),
          { reasoning_content: 'What is in a?' },
        ),
        returned: { reasoning_content: 'What is in a?' },
      },
    ]),
  ),
}

const agents = {
  chat: chatAgent,
  messages: messagesAgent,
  responses: responsesAgent(false),
  generateContent: contentsAgent,
}

const cases = Object.entries(upstreams).flatMap(([provider, { returned }]) =>
  Object.keys(agents).flatMap((client) =>
    [false, true]
      // Chat passes as it came, and to join the pieces of other forms is the caller's business.
      .filter((stream) => !(stream && client === 'chat') || 'reasoning_content' in returned)
      .map((stream) => [provider, client, stream]),
  ),
) as readonly (readonly [keyof typeof upstreams, keyof typeof agents, boolean])[]

test.each(cases)(
  'returns reasoning to the upstream that wants it: %s, by %s, streamed: %s',
  async (provider, client, stream) => {
    const { answering, returned } = upstreams[provider]
    await using upstream = await fakeUpstream(answering)
    await using gateway = await start({
      providers: { [provider]: { baseUrl: upstream.url, key: 'k' } },
      defaults: { retries: { attempts: 1 } },
    })
    const run = () => ({ text: 'ran', failed: false })
    const agent = agents[client]({ gateway, model: `${provider}/m`, stream, run })
    expect(await agent('Read everything.')).toBe('Done.')
    const messages = upstream.seen.at(-1)!.body['messages'] as readonly Fields[]
    // Mistral wants a word of the assistant's between a result and what the user says then: it is none of the model's.
    const turns = messages.filter(({ role, content }) => role === 'assistant' && content !== '.')
    expect(turns).toHaveLength(2)
    for (const turn of turns) {
      expect(turn).toMatchObject(returned)
      expect(JSON.stringify(turn)).not.toContain('sluice.')
    }
  },
)
