// The upstream of every target: answers with bytes made ahead, over raw sockets, so that it is never the slowest part.
// The model's name says how it answers: `whole`, `burst` (a stream in one write), `paced-10` (an event every 10 ms) or
// `held` (a stream that says one word and then nothing). Prints its port.
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { machineUs, stamp } from './clock.ts'
import { type Answers, anthropicAnswers, contentEvents, openaiAnswers } from './stub-answers.ts'
import { takeRequest } from './stub-request.ts'

const openai = openaiAnswers(false)
const openaiWithUsage = openaiAnswers(true)
const anthropic = anthropicAnswers()

const burstOf = ({ begin, content, end }: Answers) =>
  Buffer.from(begin + (content[0] + stamp(0) + content[1]).repeat(contentEvents) + end)
const bursts = new Map([openai, openaiWithUsage, anthropic].map((one) => [one, burstOf(one)]))

function answersFor(path: string, body: Buffer): Answers {
  if (path.endsWith('/messages')) return anthropic
  return body.includes('"include_usage":true') ? openaiWithUsage : openai
}

function modelIn(body: Buffer): string {
  const key = body.indexOf('"model"')
  const from = body.indexOf('"', key + '"model"'.length) + 1
  const name = key < 0 ? '' : body.toString('latin1', from, body.indexOf('"', from))
  return name.slice(name.lastIndexOf('/') + 1)
}

/** A collector of spans, which keeps none. */
const taken = 'HTTP/1.1 200 OK\r\ncontent-type: application/x-protobuf\r\ncontent-length: 0\r\n\r\n'

function answer(socket: Socket, path: string, body: Buffer): void {
  if (path === '/v1/traces') {
    socket.write(taken)
    return
  }
  const answers = answersFor(path, body)
  const [kind, pace] = modelIn(body).split('-')
  if (kind === 'burst') socket.write(bursts.get(answers) ?? '')
  else if (kind === 'paced') startPaced(socket, answers, Number(pace))
  else if (kind === 'held') socket.write(answers.begin + contentNow(answers), 'latin1')
  else socket.write(answers.whole)
}

function contentNow({ content: [before, after] }: Answers): string {
  return before + stamp(machineUs()) + after
}

function startPaced(socket: Socket, answers: Answers, paceMs: number): void {
  let sent = 1
  socket.write(answers.begin + contentNow(answers), 'latin1')
  const timer = setInterval(() => {
    sent += 1
    const isLast = sent === contentEvents
    if (socket.destroyed || isLast) clearInterval(timer)
    if (!socket.destroyed) socket.write(contentNow(answers) + (isLast ? answers.end : ''), 'latin1')
  }, paceMs)
}

const server = createServer({ noDelay: true }, (socket) => {
  let rest: Buffer = Buffer.alloc(0)
  socket.on('error', () => socket.destroy())
  socket.on('data', (piece: Buffer) => {
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    for (let taken = takeRequest(rest); taken; taken = takeRequest(rest)) {
      rest = rest.subarray(taken.length)
      answer(socket, taken.path, taken.body)
    }
  })
})
server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 }, () => {
  // A server that listens on a port has an AddressInfo.
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
