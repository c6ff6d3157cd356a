import { expect, test } from 'vitest'
import { awsFrame } from '../../../test/support/fakes/aws-frames.ts'
import { GatewayError } from '../src/core/errors.ts'
import { createAwsEventSplitter } from '../src/wire/aws-event-stream.ts'

const frames = [
  awsFrame({ ':message-type': 'event', ':event-type': 'messageStart' }, '{"role":"assistant"}'),
  awsFrame(
    { ':message-type': 'event', ':event-type': 'contentBlockDelta' },
    '{"delta":{"text":"ß→"}}',
  ),
  awsFrame(
    { ':message-type': 'exception', ':exception-type': 'throttlingException' },
    '{"message":"slow"}',
  ),
  awsFrame(
    { ':message-type': 'error', ':error-code': 'InternalError', ':error-message': 'lost' },
    '',
  ),
]
const expected = [
  { event: 'messageStart', data: '{"role":"assistant"}' },
  { event: 'contentBlockDelta', data: '{"delta":{"text":"ß→"}}' },
  { event: 'error', data: '{"type":"throttlingException","message":"slow"}' },
  { event: 'error', data: '{"type":"InternalError","message":"lost"}' },
]

function split(bytes: Uint8Array, size: number) {
  const splitter = createAwsEventSplitter()
  const blocks = []
  for (let start = 0; start < bytes.length; start += size)
    blocks.push(...splitter.push(bytes.subarray(start, start + size)))
  return [...blocks, ...splitter.end()]
}

test.each([1, 7, 13, 4096])('splits frames into events from chunks of %i bytes', (size) => {
  const bytes = Buffer.concat(frames)
  const blocks = split(bytes, size)
  expect(blocks.map(({ event, data }) => ({ event, data }))).toEqual(expected)
  expect(blocks.every(({ kind }) => kind === 'event')).toBe(true)
  expect(Buffer.concat(blocks.map(({ raw }) => raw)).equals(bytes)).toBe(true)
})

test('skips a frame with a corrupt payload and reads the next', () => {
  const damaged = Buffer.from(frames[0]!)
  damaged[damaged.length - 6] = damaged[damaged.length - 6]! ^ 0xff
  const blocks = split(Buffer.concat([damaged, frames[1]!]), 5)
  expect(blocks.map(({ kind }) => kind)).toEqual(['unreadable', 'event'])
  expect(blocks[1]?.data).toBe(expected[1]?.data)
})

test('fails on a corrupt prelude', () => {
  const damaged = Buffer.from(frames[0]!)
  damaged[3] = damaged[3]! ^ 0xff
  expect(() => split(damaged, 3)).toThrow(GatewayError)
})

test('reports a truncated frame as unreadable', () => {
  const blocks = split(frames[0]!.subarray(0, 40), 7)
  expect(blocks.map(({ kind }) => kind)).toEqual(['unreadable'])
})
