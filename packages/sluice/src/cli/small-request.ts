import { randomBytes } from 'node:crypto'
import type { OperationName } from '@sluice/contract'
import type { Codec, CodecContext, UpstreamRequest } from '@sluice/protocols'
import type { Upstream, UpstreamModel } from '@sluice/gateway/route/routing.ts'

/** The cheapest request of each operation, cheapest operation first. */
const requests: Readonly<Partial<Record<OperationName, object>>> = {
  embed: { input: 'Hi' },
  chat: { messages: [{ role: 'user', content: 'Hi' }], max_completion_tokens: 1 },
  rerank: { query: 'Hi', documents: ['Hi'] },
  speak: { input: 'Hi', voice: 'alloy' },
}

/** The cheapest request that an upstream accepts; undefined if it supports none of these operations. */
export function smallRequest(
  { provider, settings, models: configured }: Upstream,
  listed: readonly string[],
): UpstreamRequest | undefined {
  const known: UpstreamModel | undefined = configured?.[0] ?? provider.models?.[0]
  const model = known ? (known.upstream ?? known.id) : (listed[0] ?? 'check')
  for (const [name, fields] of Object.entries(requests)) {
    const operation = name as OperationName
    const codec = provider.protocol.codecs[operation] as Codec<OperationName> | undefined
    if (!codec || provider.operations?.includes(operation) === false) continue
    const encoded = codec.encode({ model, ...fields } as never, contextOf(model, settings))
    return (provider.quirks ?? []).reduce((before, quirk) => quirk(before, operation), encoded)
  }
  return undefined
}

function contextOf(model: string, settings: CodecContext['settings']): CodecContext {
  return {
    model,
    publicModel: model,
    unsupported: () => {},
    leftOut: () => {},
    now: Date.now,
    newId: (prefix) => prefix + randomBytes(8).toString('hex'),
    settings,
    media: new Map(),
  }
}
