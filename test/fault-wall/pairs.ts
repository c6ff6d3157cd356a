import { type Caller, callers } from './callers.ts'
import { type Spoken, speaks, spoken } from './protocols.ts'

/** A client format in front of a protocol, streamed or not. */
export interface Pair {
  readonly caller: Caller
  readonly protocol: Spoken
  readonly stream: boolean
}

export const pairs: readonly Pair[] = spoken.flatMap((protocol) =>
  callers
    .filter((caller) => speaks(protocol, caller))
    .flatMap((caller) =>
      caller.asks.map((asked) => ({ caller, protocol, stream: asked === 'stream' })),
    ),
)

const light: ReadonlySet<string> = new Set([
  'chat openai',
  'chat anthropic',
  'chat bedrock',
  'gemini array gemini',
])

/** Where what costs much is asked: each framing, passed on or translated. */
export const isLight = ({ caller, protocol }: Pair): boolean =>
  light.has(`${caller.name} ${protocol.id}`)
