import { GatewayError } from '../../../packages/contract/src/core/errors.ts'
import type { Usage } from '../../../packages/contract/src/core/usage.ts'
import type {
  EventOf,
  OperationName,
  RequestOf,
} from '../../../packages/contract/src/operations/index.ts'
import type { Step } from '../../../packages/contract/src/operations/operation.ts'
import type { ServerSentEvent } from '../../../packages/contract/src/wire/sse.ts'
import type {
  CodecContext,
  StreamCodec,
  Verdict,
} from '../../../packages/protocols/src/protocol.ts'

export interface ReadStream<O extends OperationName> {
  readonly verdicts: readonly Exclude<Verdict, GatewayError>[]
  readonly steps: readonly Step<EventOf<O>>[]
  /** What the watcher reports at the end. */
  readonly usage: Usage | undefined
  readonly error: GatewayError | undefined
}

/**
 * Reads a stream as the gateway does: the watcher sees each event first; the reader gets those that are neither malformed nor
 * an error, and its `end` is called only after a finish reason or a terminal event.
 */
export function readStream<O extends OperationName>(
  codec: StreamCodec<O>,
  {
    events,
    context,
    request,
  }: {
    readonly events: readonly ServerSentEvent[]
    readonly context: CodecContext
    readonly request: RequestOf<O>
  },
): ReadStream<O> {
  const watcher = codec.watcher()
  const reader = codec.reader(context, request)
  const verdicts: Exclude<Verdict, GatewayError>[] = []
  const steps: Step<EventOf<O>>[] = []
  for (const event of events) {
    const verdict = watcher.see(event)
    if (verdict instanceof GatewayError)
      return { verdicts, steps, usage: watcher.usage(), error: verdict }
    verdicts.push(verdict)
    try {
      if (verdict !== 'garbage') steps.push(...reader.read(event))
    } catch (thrown) {
      return { verdicts, steps, usage: watcher.usage(), error: GatewayError.from(thrown) }
    }
    if (verdict === 'terminal') break
  }
  if (verdicts.includes('finish') || verdicts.includes('terminal')) steps.push(...reader.end())
  return { verdicts, steps, usage: watcher.usage(), error: undefined }
}
