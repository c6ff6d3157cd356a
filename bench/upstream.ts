// A fake OpenAI upstream for measuring: a 2 kB reply, or a stream of 50 events in one burst. Prints its port.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const reply = JSON.stringify({
  id: 'chatcmpl-bench',
  object: 'chat.completion',
  created: 1_760_000_000,
  model: 'bench-model',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'word '.repeat(360), refusal: null },
      finish_reason: 'stop',
      logprobs: null,
    },
  ],
  usage: { prompt_tokens: 400, completion_tokens: 360, total_tokens: 760 },
})

const event = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-bench',
    object: 'chat.completion.chunk',
    created: 1_760_000_000,
    model: 'bench-model',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })}\n\n`

const events = [
  event({ role: 'assistant', content: '' }),
  ...Array.from({ length: 48 }, () => event({ content: 'word ' })),
  event({}, 'stop'),
]
const ending = 'data: [DONE]\n\n'

const server = createServer((request, response) => {
  let body = ''
  request.on('data', (piece: Buffer) => {
    body += piece.toString('latin1')
  })
  request.on('end', () => {
    if (!body.includes('"stream":true')) {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(reply)
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(events.join('') + ending)
  })
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
