import {
  type ChatChunk,
  type ChatReply,
  chatUsage,
  type CompleteChunk,
  type EventOf,
  GatewayError,
  type OperationName,
  serverToolCounts,
  type Usage,
} from '@sluice/contract'
import type { AskUpstream } from '../attempt/ask-upstream.ts'
import type { AttemptAnswer, BegunResponse } from '../attempt/attempt.ts'
import { Cancellation, isCancelled } from '../call/cancellation.ts'
import type { UpstreamTarget } from '../route/routing.ts'
import type { Sink, Source } from '../call/source.ts'
import type { AnyRequest, AnyStep } from '../call/canonical.ts'
import type { CallRun } from '../attempt/call-run.ts'

/** The requests that are sent at once for the choices of one response. */
export interface Shares {
  /** In the order of their choices. */
  readonly requests: readonly AnyRequest[]
  /** The number of choices that each asks for. */
  readonly choices: number
  /** The number of requests in a row that have the same prompt. */
  readonly perPrompt: number
}

/**
 * Implements `n` for upstreams that return a single choice, and several prompts for those that take one: sends all
 * requests at once and merges the responses. Each is an attempt with its own usage record, because each is charged.
 * The merged usage counts each prompt once, as an upstream with n choices does. If one fails, all are cancelled.
 */
export async function fanOut(
  run: CallRun,
  {
    target,
    ask,
    ...shares
  }: Shares & { readonly target: UpstreamTarget; readonly ask: AskUpstream },
  cancellation: Cancellation,
): Promise<BegunResponse> {
  const together = new Cancellation(cancellation)
  const { requests } = shares
  const settled = await Promise.allSettled(
    requests.map((request) =>
      ask({ ...run, pieces: requests.length, canonical: request }, target, together).catch(
        (error: unknown) => {
          together.cancel(error)
          throw error
        },
      ),
    ),
  )
  const begun = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const failed = settled.find((one) => one.status === 'rejected' && !isCancelled(one.reason))
  const broken = failed ?? settled.find((one) => one.status === 'rejected')
  if (broken?.status === 'rejected') {
    for (const { attempt } of begun) attempt.abandon()
    throw broken.reason
  }
  return merged(target, begun, shares)
}

function merged(
  target: UpstreamTarget,
  begun: readonly BegunResponse[],
  shares: Shares,
): BegunResponse {
  const usage = () =>
    mergedUsage(
      begun.map(({ attempt }) => attempt.usage()),
      shares,
    )
  return {
    target,
    firstContentMs: Math.max(...begun.map(({ firstContentMs }) => firstContentMs)),
    answer: mergedAnswer(begun, usage, shares),
    attempt: {
      usage,
      abandon() {
        for (const { attempt } of begun) attempt.abandon()
      },
    },
  }
}

function mergedAnswer(
  begun: readonly BegunResponse[],
  usage: () => Usage | undefined,
  { choices: each }: Shares,
): AttemptAnswer {
  const answers = begun.map(({ answer }) => answer)
  const sources = answers.flatMap((answer) => (answer.kind === 'steps' ? [answer.steps] : []))
  if (sources.length > 0) return { kind: 'steps', steps: mergedSteps(sources, usage, each) }
  const replies = answers.flatMap((answer) =>
    // Or a text completion, of which the same is read here; nothing else is fanned out.
    answer.kind === 'reply' ? [answer.reply as ChatReply] : [],
  )
  const [first] = replies
  if (!first) throw new GatewayError('internal', 'Nothing was fanned out')
  const used = usage()
  const choices = replies.flatMap((reply, share) =>
    reply.choices
      .slice(0, each)
      .map((choice) => ({ ...choice, index: indexOf(choice, share, each) })),
  )
  return {
    kind: 'reply',
    reply: { ...first, choices, usage: used ? chatUsage(used) : first.usage },
  }
}

interface Choice {
  readonly index: number
}

function indexOf({ index }: Choice, share: number, each: number): number {
  return share * each + Math.min(index, each - 1)
}

/** Counts each prompt once and the outputs of all. */
function mergedUsage(
  usages: readonly (Usage | undefined)[],
  { perPrompt }: Shares,
): Usage | undefined {
  const counted = new Set<number>()
  const known = usages.flatMap((usage, share) => {
    if (!usage) return []
    const prompt = Math.floor(share / perPrompt)
    const isAgain = counted.has(prompt)
    counted.add(prompt)
    return [isAgain ? { ...usage, inputTokens: 0 } : usage]
  })
  const [first] = known
  if (!first) return undefined
  return known.slice(1).reduce(
    (total, usage) => ({
      ...total,
      inputTokens: total.inputTokens + usage.inputTokens,
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
function mergedSteps(
  sources: readonly Steps[],
  usage: () => Usage | undefined,
  choices: number,
): Steps {
  const cancel = (error: GatewayError) => {
    for (const source of sources) source.cancel(error)
  }
  return {
    flow(sink) {
      let left = sources.length
      const head: Head = {}
      const each = (share: number): Sink<readonly AnyStep[]> => ({
        push(steps) {
          const events = steps.flatMap((step) =>
            'usage' in step || !isChunk(step.event)
              ? []
              : [{ event: inHead(step.event, head, (choice) => indexOf(choice, share, choices)) }],
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
      for (const [share, source] of sources.entries()) source.flow(each(share))
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

function isChunk(event: EventOf<OperationName>): event is ChatChunk | CompleteChunk {
  return 'choices' in event
}

/** Values shared by all chunks of the merged stream; the first chunk sets them. */
interface Head {
  id?: string
  created?: number
}

function inHead<C extends ChatChunk | CompleteChunk>(
  chunk: C,
  head: Head,
  place: (choice: Choice) => number,
): C {
  head.id ??= chunk.id
  head.created ??= chunk.created
  return {
    ...chunk,
    id: head.id,
    created: head.created,
    choices: chunk.choices.map((choice) => ({ ...choice, index: place(choice) })),
  }
}
