import { setImmediate as turn } from 'node:timers/promises'
import { fakeUpstream, json } from '../support/fakes/fake-upstream.ts'

// A process of its own: an upstream whose streams have as many content events as the prompt says, each written by itself.

const upstream = await fakeUpstream(async ({ body }, response) => {
  const { messages, stream, stream_options } = body as {
    readonly messages: readonly { readonly content: string }[]
    readonly stream?: boolean
    readonly stream_options?: { readonly include_usage?: boolean }
  }
  if (stream !== true) return json(response, completion)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (let event = 0; event < Number(messages[0]?.content); event += 1) {
    response.write(
      eventOf([{ index: 0, delta: { content: `word ${event} ` }, finish_reason: null }]),
    )
    await turn()
  }
  response.write(eventOf([{ index: 0, delta: {}, finish_reason: 'stop' }]))
  if (stream_options?.include_usage === true) response.write(eventOf([], completion.usage))
  response.end('data: [DONE]\n\n')
})

process.send?.(upstream.url)

const completion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'model',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 },
}

function eventOf(choices: readonly object[], usage: object | null = null): string {
  const { id, created, model } = completion
  const chunk = { id, object: 'chat.completion.chunk', created, model, choices, usage }
  return `data: ${JSON.stringify(chunk)}\n\n`
}
