import { type EmbedReply, GatewayError, type Usage } from '@sluice/contract'
import type { AskUpstream } from '../attempt/ask-upstream.ts'
import type { BegunResponse } from '../attempt/attempt.ts'
import { Cancellation, isCancelled } from '../call/cancellation.ts'
import { offeredBy } from '../attempt/offered.ts'
import { nativeOf } from '../attempt/prepare.ts'
import type { UpstreamTarget } from '../route/routing.ts'
import type { AnyReply, AnyRequest } from '../call/canonical.ts'
import { type CallRun, canonicalOf, modeOf } from '../attempt/call-run.ts'

/** More concurrent requests would be a burst that upstreams answer with 429. */
const atOnceMax = 4

/** The number of parts requested concurrently. */
export function partsAtOnce(parts: number): number {
  return Math.min(atOnceMax, parts)
}

/** The requests a call is split into if the upstream takes less at a time; empty if it need not be split. */
export function partsOf(run: CallRun, target: UpstreamTarget): readonly AnyRequest[] {
  const { gateway, call } = run
  if (call.operation !== 'embed' && call.operation !== 'complete') return []
  if (nativeOf(gateway, call, target)) return []
  const codec = offeredBy(target.upstream.provider, call.operation)?.codec
  return codec?.parts?.(canonicalOf(run, modeOf(run, target)), target) ?? []
}

/** Splits embeddings. Each part is an attempt with its own usage record, because each is charged. If one fails, all are cancelled. */
export async function inParts(
  run: CallRun,
  {
    target,
    parts,
    ask,
  }: {
    readonly target: UpstreamTarget
    readonly parts: readonly AnyRequest[]
    readonly ask: AskUpstream
  },
  cancellation: Cancellation,
): Promise<BegunResponse> {
  const together = new Cancellation(cancellation)
  const partial = (part: AnyRequest): CallRun => ({
    ...run,
    canonical: part,
    pieces: parts.length,
  })
  const answered: BegunResponse[] = []
  let next = 0
  const askOn = async (): Promise<void> => {
    while (next < parts.length) {
      const index = next
      next += 1
      const part = parts[index]
      if (part) answered[index] = await ask(partial(part), target, together)
    }
  }
  const asking = Array.from(
    { length: Math.min(partsAtOnce(parts.length), run.slots?.count ?? Infinity) },
    () =>
      askOn().catch((error: unknown) => {
        next = parts.length
        together.cancel(error)
        throw error
      }),
  )
  const settled = await Promise.allSettled(asking)
  const failed = settled.filter((one) => one.status === 'rejected')
  const broken = failed.find(({ reason }) => !isCancelled(reason)) ?? failed[0]
  if (broken) throw broken.reason
  return joined(target, answered)
}

function isEmbedding(reply: AnyReply): reply is EmbedReply {
  return 'data' in reply && 'model' in reply
}

function joined(target: UpstreamTarget, answered: readonly BegunResponse[]): BegunResponse {
  const replies = answered.map(({ answer }) => {
    if (answer.kind !== 'reply' || !isEmbedding(answer.reply))
      throw new GatewayError('internal', 'A part was not read')
    return answer.reply
  })
  const usages = answered.map(({ attempt }) => attempt.usage())
  const [first] = replies
  if (!first) throw new GatewayError('internal', 'Nothing was asked in parts')
  const tokens = replies.reduce((sum, { usage }) => sum + usage.prompt_tokens, 0)
  const data = replies.flatMap((reply) => reply.data).map((each, index) => ({ ...each, index }))
  const reply = { ...first, data, usage: { prompt_tokens: tokens, total_tokens: tokens } }
  return {
    target,
    firstContentMs: Math.max(...answered.map(({ firstContentMs }) => firstContentMs)),
    answer: { kind: 'reply', reply },
    attempt: {
      usage: () => summed(usages),
      abandon() {
        for (const { attempt } of answered) attempt.abandon()
      },
    },
  }
}

function summed(usages: readonly (Usage | undefined)[]): Usage | undefined {
  const known = usages.filter((usage) => usage !== undefined)
  if (known.length === 0) return undefined
  return {
    inputTokens: known.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    outputTokens: 0,
  }
}
