// Ids of objects stored at upstreams, in the account that all keys share, are valid only for the key that received
// them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FakeUpstream, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import {
  noSuchAddress,
  owner,
  stranger,
  upstreamResponse,
  withTwoKeys,
} from '../../support/gateways/two-keys.ts'
import type { Routes } from '../../support/routes.ts'
import { type Started, start } from '../../support/start.ts'

const secret = 'PINEAPPLE42'

describe('upstream ids', () => {
  let native: FakeUpstream
  let gateway: Started
  beforeAll(async () => {
    native = await fakeUpstream((_seen, response) => noSuchAddress(response))
    gateway = await start(withTwoKeys({ native }))
  })
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]()
    await native[Symbol.asyncDispose]()
  })

  /** The same upstream, which takes ids that are nobody's. */
  const sharing = (): Routes => ({
    ...withTwoKeys({}),
    providers: {
      native: { type: 'openai', baseUrl: native.url, key: 'key-of-native', sharedIds: 'allow' },
    },
  })

  /** What an upstream has made for `owner`, by every kind of id. */
  async function tooled(id: string): Promise<void> {
    const { output, ...rest } = upstreamResponse(id, secret) as { output: readonly object[] }
    const note = {
      type: 'container_file_citation',
      container_id: `cntr_${id}`,
      file_id: `cfile_${id}`,
    }
    const content = [{ type: 'output_text', text: secret, annotations: [note] }]
    const items = [
      { ...output[0], content },
      { type: 'code_interpreter_call', id: `ci_${id}`, container_id: `cntr_${id}` },
      {
        type: 'shell_call',
        id: `sh_${id}`,
        call_id: 'c',
        action: { commands: ['ls'] },
        environment: { type: 'container_reference', container_id: `shell_${id}` },
      },
      { type: 'image_generation_call', id: `ig_${id}`, result: 'aGk=' },
      { type: 'reasoning', id: `rs_${id}`, summary: [] },
    ]
    native.answer((_seen, response) => json(response, { ...rest, output: items }))
    const answer = await gateway.post('/v1/responses', { model: 'native/m', input: 'Hi' }, owner)
    expect(answer.status).toBe(200)
  }

  const ask = { role: 'user', content: 'Go on' }
  const filed = (id: string) => ({
    role: 'user',
    content: [{ type: 'input_file', file_id: id }],
  })
  const uses: readonly (readonly [string, (id: string) => object, string])[] = [
    [
      'an item',
      (id) => ({ input: [{ type: 'item_reference', id: `msg_of_${id}` }, ask] }),
      'input[0].id',
    ],
    ['an item without a type', (id) => ({ input: [ask, { id: `msg_of_${id}` }] }), 'input[1].id'],
    [
      'an image',
      (id) => ({ input: [{ type: 'image_generation_call', id: `ig_${id}` }] }),
      'input[0].id',
    ],
    [
      'reasoning',
      (id) => ({ input: [{ type: 'reasoning', id: `rs_${id}`, summary: [] }, ask] }),
      'input[0].id',
    ],
    ['a file', (id) => ({ input: [filed(`cfile_${id}`)] }), 'input[0].content[0].file_id'],
    [
      'a container',
      (id) => ({ input: 'Hi', tools: [{ type: 'code_interpreter', container: `cntr_${id}` }] }),
      'tools[0].container',
    ],
    [
      'a file in a container',
      (id) => ({
        input: 'Hi',
        tools: [
          { type: 'code_interpreter', container: { type: 'auto', file_ids: [`cfile_${id}`] } },
        ],
      }),
      'tools[0].container.file_ids[0]',
    ],
    [
      'a container of the shell tool',
      (id) => ({
        input: 'Hi',
        tools: [
          {
            type: 'shell',
            environment: { type: 'container_reference', container_id: `shell_${id}` },
          },
        ],
      }),
      'tools[0].environment.container_id',
    ],
    [
      'a container of an earlier code interpreter call',
      (id) => ({
        input: [
          {
            type: 'code_interpreter_call',
            id: 'ci_1',
            container_id: `cntr_${id}`,
            code: '1',
            outputs: null,
          },
          ask,
        ],
      }),
      'input[0].container_id',
    ],
    [
      'a container of an earlier shell call',
      (id) => ({
        input: [
          {
            type: 'shell_call',
            call_id: 'c',
            action: { commands: ['ls'] },
            environment: { type: 'container_reference', container_id: `shell_${id}` },
          },
          { type: 'shell_call_output', call_id: 'c', output: [] },
        ],
      }),
      'input[0].environment.container_id',
    ],
  ]

  test.each(uses)('%s of an upstream can be used by its owner only', async (_name, use, param) => {
    const id = `resp_${Math.random().toString(36).slice(2)}`
    await tooled(id)
    native.answer((_seen, response) =>
      json(response, upstreamResponse(`resp_${Math.random()}`, '')),
    )
    const asked = { model: 'native/m', store: false, ...use(id) }
    const sent = native.seen.length
    const answers = async (settings: Routes) => {
      await gateway.configure(settings)
      const refused = await gateway.post('/v1/responses', asked, stranger)
      expect(await refused.json()).toMatchObject({ error: { param } })
      expect(refused.status).toBe(400)
      expect(native.seen.length).toBe(sent)
    }
    await answers(sharing())
    await answers(withTwoKeys({ native }))
    expect((await gateway.post('/v1/responses', asked, owner)).status).toBe(200)
    expect(native.seen.at(-1)?.text).toContain(id)
    await gateway.request(`/v1/responses/${id}`, { method: 'DELETE', ...owner })
    expect((await gateway.post('/v1/responses', asked, owner)).status).toBe(400)
  })

  const skill = { type: 'skill_reference', skill_id: 'skill_1' }
  const strange: readonly (readonly [string, object, string])[] = [
    ['a conversation', { conversation: 'conv_1' }, 'conversation'],
    ['a conversation’s object', { conversation: { id: 'conv_1' } }, 'conversation'],
    ['a response', { previous_response_id: 'resp_of_nobody' }, 'previous_response_id'],
    ['a prompt', { prompt: { id: 'pmpt_1' } }, 'prompt.id'],
    [
      'a file in a prompt’s variables',
      { prompt: { variables: { paper: { type: 'input_file', file_id: 'file-1' } } } },
      'prompt.variables.paper.file_id',
    ],
    ['an item', { input: [{ type: 'item_reference', id: 'msg_of_nobody' }] }, 'input[0].id'],
    ['a file', { input: [filed('file-1')] }, 'input[0].content[0].file_id'],
    [
      'a file in a tool output',
      {
        input: [
          {
            type: 'function_call_output',
            call_id: 'c',
            output: [{ type: 'input_image', file_id: 'file-1' }],
          },
        ],
      },
      'input[0].output[0].file_id',
    ],
    [
      'a screenshot',
      {
        input: [
          {
            type: 'computer_call_output',
            call_id: 'c',
            output: { type: 'computer_screenshot', file_id: 'file-1' },
          },
        ],
      },
      'input[0].output.file_id',
    ],
    [
      'a vector store',
      { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] },
      'tools[0].vector_store_ids[0]',
    ],
    [
      'a container of the shell tool',
      {
        tools: [
          {
            type: 'shell',
            environment: { type: 'container_reference', container_id: 'cntr_of_nobody' },
          },
        ],
      },
      'tools[0].environment.container_id',
    ],
    [
      'a file for the shell tool',
      {
        tools: [{ type: 'shell', environment: { type: 'container_auto', file_ids: ['file-1'] } }],
      },
      'tools[0].environment.file_ids[0]',
    ],
    [
      'a skill in a container',
      {
        tools: [
          {
            type: 'code_interpreter',
            container: {
              type: 'auto',
              skills: [{ type: 'skill_reference', skill_id: 'openai-spreadsheets' }, skill],
            },
          },
        ],
      },
      'tools[0].container.skills[1].skill_id',
    ],
    [
      'a vector store in additional_tools',
      {
        input: [
          ask,
          {
            type: 'additional_tools',
            role: 'developer',
            tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }],
          },
        ],
      },
      'input[1].tools[0].vector_store_ids[0]',
    ],
  ]

  test.each(strange)(
    '%s of unknown origin passes only if the provider shares ids',
    async (_name, use, param) => {
      native.answer((_seen, response) =>
        json(response, upstreamResponse(`resp_${Math.random()}`, '')),
      )
      const asked = { model: 'native/m', input: 'Hi', store: false, ...use }
      const sent = native.seen.length
      const refused = await gateway.post('/v1/responses', asked, owner)
      expect(await refused.json()).toMatchObject({ error: { param } })
      expect(refused.status).toBe(400)
      expect(native.seen.length).toBe(sent)
      await gateway.configure(sharing())
      expect((await gateway.post('/v1/responses', asked, owner)).status).toBe(200)
      await gateway.configure(withTwoKeys({ native }))
      expect(native.seen.at(-1)?.body).toMatchObject(use)
    },
  )

  test('are not required for items sent in full', async () => {
    native.answer((_seen, response) =>
      json(response, upstreamResponse(`resp_${Math.random()}`, '')),
    )
    const input = [
      { type: 'message', id: 'msg_1', role: 'assistant', content: 'Yes' },
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA' },
      {
        type: 'reasoning',
        id: 'rs_2',
        summary: [],
        content: [{ type: 'reasoning_text', text: 'So' }],
      },
      { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: '{}' },
      { type: 'function_call_output', id: 'fco_1', call_id: 'c', output: 'done' },
      ask,
    ]
    const tools = [{ type: 'code_interpreter', container: { type: 'auto' } }]
    const asked = { model: 'native/m', store: false, input, tools }
    expect((await gateway.post('/v1/responses', asked, stranger)).status).toBe(200)
    expect(native.seen.at(-1)?.body).toMatchObject({ input, tools })
  })
})
