import type { Protocol } from '../../../src/protocol.ts'
import { chat } from './chat.ts'

export const acme: Protocol = {
  id: 'acme',
  codecs: { chat }, // an operation that is absent is not offered
  native: {}, // client formats it speaks itself, whose bytes then pass untouched
  failure: (received) => ({ message: Buffer.from(received.bytes).toString('utf8') }),
}
