// The upstream of every target: answers with bytes made ahead, over raw sockets, so that it is never the slowest part.
// The model's name says how it answers: `whole`, `burst-gemini` (a stream of that kind in one write), `paced-10` (an event every
// 10 ms) or `held` (a stream that says one word and then nothing). With a folder of recordings as its argument, `recorded-gemini`
// is the same stream of recorded events. Prints its port.
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { machineUs, stamp } from './clock.ts'
import { heldKinds, recordedStream } from './recordings.ts'
import { pacedEvents } from './scenarios.ts'
import { burstOf, pacedOf, type PacedStream, wholeAnswer, wholeAnswers } from './stub-answers.ts'
import { takeRequest } from './stub-request.ts'
import { documentsOf, type Format, streamKind, streamKinds } from './streams/streams.ts'

/** Different streams of each kind, sent in turn. */
const seeds = [1, 2, 3, 4, 5, 6, 7, 8]

/** Hands out the members of a list again and again. */
function inTurn<T>(items: readonly [T, ...T[]]): () => T {
  let next = 0
  return () => items[next++ % items.length] ?? items[0]
}

function eachSeed<T>(make: (seed: number) => T): () => T {
  const [first = 0, ...others] = seeds
  return inTurn([make(first), ...others.map(make)])
}

/** Streams that come in turn, with their ids numbered: gateways store responses by id, and refuse one that is taken. */
function numbered(streams: () => Buffer): () => Buffer {
  const ids = /"(?:resp|msg|rs|fc)_[0-9a-f]{42}/g
  const placesOf = new Map<Buffer, readonly number[]>()
  let count = 0
  return () => {
    const stream = streams()
    const places =
      placesOf.get(stream) ??
      Array.from(stream.toString('latin1').matchAll(ids), ({ index, 0: id }) => index + id.length)
    placesOf.set(stream, places)
    count += 1
    const number = count.toString(16).padStart(8, '0')
    const copy = Buffer.from(stream)
    for (const place of places) copy.write(number, place, 'latin1')
    return copy
  }
}

const bursts = new Map(
  streamKinds.map((kind) => {
    const streams = eachSeed((seed) => burstOf(kind.format, documentsOf(kind, seed)))
    return [`burst-${kind.name}`, kind.format === 'responses' ? numbered(streams) : streams]
  }),
)
const [, , recordings] = process.argv
if (recordings !== undefined)
  for (const kind of heldKinds) {
    const recorded = recordedStream(recordings, kind)
    const make = (seed: number) => burstOf(kind.format, recorded(documentsOf(kind, seed)))
    bursts.set(`recorded-${kind.name}`, eachSeed(make))
  }
const formats: readonly Format[] = ['chat', 'responses', 'messages', 'gemini']
const paced = new Map(
  formats.map((format) => [
    format,
    eachSeed((seed) => pacedOf(streamKind(format), seed, pacedEvents)),
  ]),
)

function formatOf(path: string): Format {
  if (path.endsWith('/messages')) return 'messages'
  if (path.endsWith('/responses')) return 'responses'
  return path.includes('/models/') ? 'gemini' : 'chat'
}

function modelIn(path: string, body: Buffer): string {
  const inPath = /\/models\/([^:?]+)/.exec(path)?.[1]
  if (inPath !== undefined) return inPath.slice(inPath.lastIndexOf('/') + 1)
  const key = body.indexOf('"model"')
  const from = body.indexOf('"', key + '"model"'.length) + 1
  const name = key < 0 ? '' : body.toString('latin1', from, body.indexOf('"', from))
  return name.slice(name.lastIndexOf('/') + 1)
}

/** A collector of spans, which keeps none. */
const taken = 'HTTP/1.1 200 OK\r\ncontent-type: application/x-protobuf\r\ncontent-length: 0\r\n\r\n'

/** Some gateways only know the models that an upstream lists. */
const models = wholeAnswer({
  object: 'list',
  data: ['whole', 'held', 'paced-10', 'paced-20', 'paced-40', ...bursts.keys()].map((id) => ({
    id,
    object: 'model',
    created: 0,
    owned_by: 'bench',
  })),
})

function answer(socket: Socket, path: string, body: Buffer): void {
  if (path === '/v1/models') {
    socket.write(models)
    return
  }
  if (path === '/v1/traces') {
    socket.write(taken)
    return
  }
  const format = formatOf(path)
  const model = modelIn(path, body)
  const burst = bursts.get(model)
  if (burst) socket.write(burst())
  else if (model.startsWith('paced-')) startPaced(socket, format, Number(model.slice(6)))
  else if (model === 'held') hold(socket, format)
  else socket.write(wholeAnswers[format === 'messages' ? format : 'chat'])
}

/** Up to and with the first event that has a text. */
function hold(socket: Socket, format: Format): void {
  const stream = paced.get(format)?.()
  if (!stream) return
  socket.write(stream.head)
  for (let index = 0; sendEvent(socket, stream, index); index += 1);
}

/** Returns whether the event had no text. */
function sendEvent(socket: Socket, { events }: PacedStream, index: number): boolean {
  const [before, after] = events[index] ?? []
  if (before === undefined) return false
  if (after === undefined) return socket.write(before) || true
  socket.write(Buffer.concat([before, Buffer.from(stamp(machineUs())), after]))
  return false
}

function startPaced(socket: Socket, format: Format, paceMs: number): void {
  const stream = paced.get(format)?.()
  if (!stream) return
  const { head, events, end } = stream
  let sent = 0
  const send = () => {
    sendEvent(socket, stream, sent)
    sent += 1
    if (sent === events.length) socket.write(end)
  }
  socket.write(head)
  send()
  const timer = setInterval(() => {
    if (socket.destroyed || sent === events.length) clearInterval(timer)
    else send()
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
