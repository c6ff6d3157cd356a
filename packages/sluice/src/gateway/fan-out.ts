import {
  type ChatChunk,
  type ChatReply,
  type ChatRequest,
  chatUsage,
  GatewayError,
  type Step,
  type Usage,
} from '@sluice/contract'
import type { AnyStep, Attempted, AttemptInput } from './attempt.ts'
import { attemptUpstream } from './attempt-upstream.ts'
import type { UpstreamTarget } from './prepare.ts'

/**
 * n choices from an upstream that gives one: n requests at once, merged. Each has its own usage record, because each
 * costs; the answer counts the prompt once, as an upstream with n choices does.
 */
export async function fanOut(
  input: AttemptInput,
  target: UpstreamTarget,
  choices: number,
): Promise<Attempted> {
  const controller = new AbortController()
  const single: AttemptInput = {
    ...input,
    signal: AbortSignal.any([input.signal, controller.signal]),
    canonical: () => ({ ...(input.canonical() as ChatRequest), n: 1 }),
  }
  const settled = await Promise.allSettled(
    Array.from({ length: choices }, () =>
      attemptUpstream(single, target).catch((error: unknown) => {
        controller.abort(error)
        throw error
      }),
    ),
  )
  const answers = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const failed = settled.find((one) => one.status === 'rejected' && !isCancelled(one.reason))
  const broken = failed ?? settled.find((one) => one.status === 'rejected')
  if (broken?.status === 'rejected') {
    for (const answer of answers) answer.abandon()
    throw broken.reason
  }
  return merged(answers, controller)
}

function isCancelled(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'cancelled'
}

function merged(answers: readonly Attempted[], controller: AbortController): Attempted {
  const [first] = answers
  if (!first) throw new GatewayError('internal', 'Nothing was fanned out')
  return {
    ...first,
    meter: {
      close(outcome, _usage) {
        for (const { meter, answer } of answers)
          meter.close(outcome, answer.kind === 'reply' ? answer.usage : undefined)
      },
    },
    firstContentMs: Math.max(...answers.map(({ firstContentMs }) => firstContentMs)),
    answer:
      first.answer.kind === 'steps'
        ? { kind: 'steps', batches: mergedSteps(answers, controller) }
        : mergedReply(answers),
    abandon() {
      controller.abort(new GatewayError('cancelled', 'Another target answered first'))
      for (const answer of answers) answer.abandon()
    },
  }
}

function mergedReply(answers: readonly Attempted[]): Attempted['answer'] {
  const replies = answers.flatMap(({ answer }) =>
    answer.kind === 'reply' ? [answer.reply as ChatReply] : [],
  )
  const usages = answers.map(({ answer }) => (answer.kind === 'reply' ? answer.usage : undefined))
  const [first] = replies
  if (!first) throw new GatewayError('internal', 'Nothing was fanned out')
  const usage = mergedUsage(usages)
  const choices = replies.flatMap((reply, index) =>
    reply.choices.slice(0, 1).map((choice) => ({ ...choice, index })),
  )
  return {
    kind: 'reply',
    usage,
    reply: { ...first, choices, usage: usage ? chatUsage(usage) : first.usage },
  }
}

/** The prompt once, the outputs of all. */
export function mergedUsage(usages: readonly (Usage | undefined)[]): Usage | undefined {
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
    }),
    first,
  )
}

/** Whatever comes first goes first; every choice keeps its own order. */
async function* mergedSteps(
  answers: readonly Attempted[],
  controller: AbortController,
): AsyncGenerator<readonly AnyStep[]> {
  const sources = answers.flatMap(({ answer }) =>
    answer.kind === 'steps' ? [answer.batches[Symbol.asyncIterator]()] : [],
  )
  const usages: (Usage | undefined)[] = sources.map(() => undefined)
  const advance = (index: number) => {
    const advanced = (async () => ({ index, next: await sources[index]?.next() }))()
    // The race sees a failure; where the caller has left there is no race any more.
    advanced.catch(() => {})
    return advanced
  }
  const waiting = new Map(sources.map((_, index) => [index, advance(index)] as const))
  let head: Pick<ChatChunk, 'id' | 'created'> | undefined
  try {
    while (waiting.size > 0) {
      const { index, next } = await Promise.race(waiting.values())
      if (next === undefined || next.done === true) {
        waiting.delete(index)
        continue
      }
      waiting.set(index, advance(index))
      const steps = next.value as readonly Step<ChatChunk>[]
      const events = steps.flatMap((step) => {
        if ('usage' in step) {
          usages[index] = step.usage
          return []
        }
        head ??= { id: step.event.id, created: step.event.created }
        return [{ event: asChoice(step.event, index, head) }]
      })
      if (events.length > 0) yield events
    }
    const usage = mergedUsage(usages)
    if (usage) yield [{ usage }]
  } finally {
    // A source that waits for a silent upstream cannot be closed from outside: its signal is aborted for that.
    if (waiting.size > 0) controller.abort(new GatewayError('cancelled', 'The call is over'))
    for (const source of sources) void source.return?.(undefined)
  }
}

function asChoice(chunk: ChatChunk, index: number, head: Pick<ChatChunk, 'id' | 'created'>) {
  return { ...chunk, ...head, choices: chunk.choices.map((choice) => ({ ...choice, index })) }
}
