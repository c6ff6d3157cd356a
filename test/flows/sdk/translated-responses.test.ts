// The official OpenAI SDK's Responses with upstreams of other protocols.
import OpenAI from 'openai'
import type { FunctionTool, Response, ResponseInput } from 'openai/resources/responses/responses'
import { describe, expect, test } from 'vitest'
import { signatureBypass } from '../../support/fakes/gemini-rules.ts'
import type { Maker } from '../../support/fakes/scripted-models.ts'
import { type Through, through } from '../../support/gateways/scripted-gateway.ts'
import { weather, weatherInput, weatherParameters } from '../../support/generated/weather.ts'
import { testKey } from '../../support/start.ts'

const tools: FunctionTool[] = [
  { type: 'function', name: 'get_weather', parameters: weatherParameters, strict: false },
  { type: 'function', name: 'now', parameters: null, strict: false },
]

type Create = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'stream'>
type Ask = (client: OpenAI, request: Create) => Promise<Response>

const ways: Readonly<Record<string, Ask>> = {
  whole: (client, request) => client.responses.create(request),
  streamed: (client, request) => client.responses.stream({ ...request }).finalResponse(),
}

function sdk({ gateway }: Through): OpenAI {
  return new OpenAI({ apiKey: testKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
}

const question = 'How is the weather, and what time is it?'

function asked(model: string, input: string | ResponseInput): Create {
  return {
    model,
    input,
    tools,
    instructions: 'Be brief.',
    reasoning: { effort: 'low', summary: 'auto' },
    max_output_tokens: 4000,
  }
}

function results(response: Response): ResponseInput {
  return response.output.flatMap((item) =>
    item.type === 'function_call'
      ? [{ type: 'function_call_output' as const, call_id: item.call_id, output: '7° and noon' }]
      : [],
  )
}

/** What the model answered, without the reasoning items, of which there are as many as the maker has to say. */
function said({ output }: Response): readonly object[] {
  return output.filter(({ type }) => type !== 'reasoning')
}

function expectCalls(response: Response): void {
  expect(response).toMatchObject({
    object: 'response',
    status: 'completed',
    error: null,
    instructions: 'Be brief.',
    usage: {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 40 },
      output_tokens: 30,
      output_tokens_details: { reasoning_tokens: 12 },
      total_tokens: 130,
    },
  })
  expect(said(response)).toMatchObject([
    {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Let me look.' }],
    },
    { type: 'function_call', name: 'get_weather', arguments: weatherInput, status: 'completed' },
    { type: 'function_call', name: 'now', arguments: '{}', status: 'completed' },
  ])
  const thoughts = response.output.flatMap((item) =>
    item.type === 'reasoning' ? item.summary : [],
  )
  expect(thoughts.map(({ text }) => text)).toEqual(['Two questions, two calls.'])
}

function expectReasoningKept({ upstream }: Through, maker: Maker): void {
  const returned = upstream.seen.at(-1)!
  expect(returned.text).not.toContain(signatureBypass)
  if (maker === 'anthropic') expect(returned.body['thinking']).toMatchObject({ type: 'enabled' })
}

const makers: readonly Maker[] = ['anthropic', 'gemini', 'openai']

describe.each(makers)('responses in front of %s', (maker) => {
  describe.each(Object.entries(ways))('%s', (_, ask) => {
    test('completes a stored tool loop by previous_response_id', async () => {
      await using stage = await through(maker, weather)
      const client = sdk(stage)
      const first = await ask(client, asked(stage.model, question))
      expectCalls(first)
      const second = await ask(client, {
        ...asked(stage.model, results(first)),
        previous_response_id: first.id,
      })
      expect(second.previous_response_id).toBe(first.id)
      expect(second.output_text).toBe('Zürich has 7°, and it is noon 🕛.')
      expect(said(second)).toHaveLength(1)
      expectReasoningKept(stage, maker)
    })

    test('completes a tool loop without storage', async () => {
      await using stage = await through(maker, weather)
      const client = sdk(stage)
      const asking = (input: ResponseInput): Create => ({
        ...asked(stage.model, input),
        store: false,
        include: ['reasoning.encrypted_content'],
      })
      const input: ResponseInput = [{ role: 'user', content: question }]
      const first = await ask(client, asking(input))
      expectCalls(first)
      input.push(...(first.output as ResponseInput), ...results(first))
      const second = await ask(client, asking(input))
      expect(second.output_text).toBe('Zürich has 7°, and it is noon 🕛.')
      expectReasoningKept(stage, maker)
      await expect(client.responses.retrieve(first.id)).rejects.toBeInstanceOf(OpenAI.NotFoundError)
    })
  })

  test('stores responses that can be retrieved and deleted', async () => {
    await using stage = await through(maker, weather)
    const client = sdk(stage)
    const created = await client.responses.create(asked(stage.model, question))
    expect(await client.responses.retrieve(created.id)).toEqual(created)
    const streamed = await client.responses
      .stream({ ...asked(stage.model, results(created)), previous_response_id: created.id })
      .finalResponse()
    const { output_parsed: _, output: __, ...kept } = streamed
    expect(await client.responses.retrieve(streamed.id)).toMatchObject(kept)
    const items: object[] = []
    for await (const item of client.responses.inputItems.list(streamed.id, { order: 'asc' }))
      items.push(item)
    expect(items).toMatchObject(results(created))
    await client.responses.delete(created.id)
    await expect(client.responses.retrieve(created.id)).rejects.toMatchObject({ status: 404 })
    const orphan = client.responses.create({
      ...asked(stage.model, results(streamed)),
      previous_response_id: created.id,
    })
    await expect(orphan).rejects.toMatchObject({
      status: 400,
      code: 'previous_response_not_found',
      param: 'previous_response_id',
    })
  })

  test('stream events in order with sequence numbers', async () => {
    await using stage = await through(maker, weather)
    const stream = await sdk(stage).responses.create({
      ...asked(stage.model, question),
      stream: true,
    })
    const types: string[] = []
    const ofFirstCall: string[] = []
    let firstCall: string | undefined
    for await (const event of stream) {
      expect(event.sequence_number).toBe(types.length)
      types.push(event.type)
      if (event.type === 'response.output_item.added' && event.item.type === 'function_call')
        firstCall ??= event.item.id
      const id = 'item' in event ? event.item.id : 'item_id' in event && event.item_id
      if (id && id === firstCall) ofFirstCall.push(event.type)
    }
    const once = withoutRepeats(types)
    expect(once.slice(0, 2)).toEqual(['response.created', 'response.in_progress'])
    expect(once.at(-1)).toBe('response.completed')
    const text = once.indexOf('response.content_part.added')
    expect(once.slice(text - 1, text + 5)).toEqual([
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
    ])
    expect(withoutRepeats(ofFirstCall)).toEqual([
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
    ])
  })
})

function withoutRepeats(types: readonly string[]): readonly string[] {
  return types.filter((type, index) => types[index - 1] !== type)
}
