import {
  type ChatChunk,
  type ChatReply,
  type ChatRequest,
  chatUsage,
  GatewayError,
  type Step,
  serverToolCounts,
  type Usage,
} from '@sluice/contract'
import { askUpstream } from '../attempt/ask-upstream.ts'
import type { AttemptAnswer, Attempted } from '../attempt/attempt.ts'
import { Cancellation } from '../attempt/cancellation.ts'
import type { UpstreamTarget } from '../attempt/prepare.ts'
import type { Sink, Source } from '../attempt/source.ts'
import type { AnyStep } from '../canonical.ts'
import type { Run } from './run.ts'

/**
 * Implements `n` for upstreams that return a single choice: sends n requests at once and merges the responses. Each
 * is an attempt with its own usage record, because each is charged. The merged usage counts the prompt once, as an
 * upstream with n choices does. If one fails, all are cancelled.
 */
export async function fanOut(
  run: Run,
  { target, choices }: { readonly target: UpstreamTarget; readonly choices: number },
  cancellation: Cancellation,
): Promise<Attempted> {
  const together = new Cancellation(cancellation)
  const single: Run = {
    ...run,
    pieces: choices,
    // Only chat is fanned out.
    canonical: (mode) => ({ ...(run.canonical(mode) as ChatRequest), n: 1 }),
  }
  const settled = await Promise.allSettled(
    Array.from({ length: choices }, () =>
      askUpstream(single, target, together).catch((error: unknown) => {
        together.cancel(error)
        throw error
      }),
    ),
  )
  const begun = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const failed = settled.find((one) => one.status === 'rejected' && !isCancelled(one.reason))
  const broken = failed ?? settled.find((one) => one.status === 'rejected')
  if (broken?.status === 'rejected') {
    for (const attempted of begun) attempted.abandon()
    throw broken.reason
  }
  return merged(target, begun)
}

function isCancelled(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'cancelled'
}

function merged(target: UpstreamTarget, begun: readonly Attempted[]): Attempted {
  const usage = () => mergedUsage(begun.map((attempted) => attempted.usage()))
  return {
    target,
    firstContentMs: Math.max(...begun.map(({ firstContentMs }) => firstContentMs)),
    answer: mergedAnswer(begun, usage),
    usage,
    abandon() {
      for (const attempted of begun) attempted.abandon()
    },
  }
}

function mergedAnswer(begun: readonly Attempted[], usage: () => Usage | undefined): AttemptAnswer {
  const answers = begun.map(({ answer }) => answer)
  const sources = answers.flatMap((answer) => (answer.kind === 'steps' ? [answer.steps] : []))
  if (sources.length > 0) return { kind: 'steps', steps: mergedSteps(sources, usage) }
  const replies = answers.flatMap((answer) =>
    // Only chat is fanned out.
    answer.kind === 'reply' ? [answer.reply as ChatReply] : [],
  )
  const [first] = replies
  if (!first) throw new GatewayError('internal', 'Nothing was fanned out')
  const used = usage()
  const choices = replies.flatMap((reply, index) =>
    reply.choices.slice(0, 1).map((choice) => ({ ...choice, index })),
  )
  return {
    kind: 'reply',
    reply: { ...first, choices, usage: used ? chatUsage(used) : first.usage },
  }
}

/** Counts the prompt once and the outputs of all. */
function mergedUsage(usages: readonly (Usage | undefined)[]): Usage | undefined {
  const known = usages.filter((usage) => usage !== undefined)
  const [first] = known
  if (!first) return undefined
  return known.slice(1).reduce(
    (total, usage) => ({
      ...total,
      outputTokens: total.outputTokens + usage.outputTokens,
      ...(usage.reasoningTokens !== undefined && {
        reasoningTokens: (total.reasoningTokens ?? 0) + usage.reasoningTokens,
      }),
      ...serverToolCounts(total.serverToolCalls, summed(total, usage)),
    }),
    first,
  )
}

function summed({ serverToolCalls: total = {} }: Usage, { serverToolCalls: more = {} }: Usage) {
  return Object.fromEntries(
    Object.entries(more).map(([tool, count]) => [tool, (total[tool] ?? 0) + count]),
  )
}

type Steps = Source<readonly AnyStep[]>

/** Forwards steps as they arrive; each choice keeps its own order. */
function mergedSteps(sources: readonly Steps[], usage: () => Usage | undefined): Steps {
  const cancel = (error: GatewayError) => {
    for (const source of sources) source.cancel(error)
  }
  return {
    flow(sink) {
      let left = sources.length
      const head: Head = {}
      const each = (index: number): Sink<readonly AnyStep[]> => ({
        push(steps) {
          const events = (steps as readonly Step<ChatChunk>[]).flatMap((step) =>
            'usage' in step ? [] : [{ event: asChoice(step.event, index, head) }],
          )
          if (left > 0 && events.length > 0) sink.push(events)
        },
        end() {
          left -= 1
          if (left !== 0) return
          const used = usage()
          if (used) sink.push([{ usage: used }])
          sink.end()
        },
        fail(error) {
          if (left <= 0) return
          left = -1
          cancel(new GatewayError('cancelled', 'Another choice failed'))
          sink.fail(error)
        },
      })
      for (const [index, source] of sources.entries()) source.flow(each(index))
    },
    pause() {
      for (const source of sources) source.pause()
    },
    resume() {
      for (const source of sources) source.resume()
    },
    cancel,
  }
}

/** Values shared by all chunks of the merged stream; the first chunk sets them. */
interface Head {
  id?: string
  created?: number
}

function asChoice(chunk: ChatChunk, index: number, head: Head): ChatChunk {
  head.id ??= chunk.id
  head.created ??= chunk.created
  return {
    ...chunk,
    id: head.id,
    created: head.created,
    choices: chunk.choices.map((choice) => ({ ...choice, index })),
  }
}
