import type { OutputMaximum } from '@sluice/protocols/output-limit.ts'
import type { Target } from '../route/routing.ts'
import type { CallDraft } from './call-run.ts'
import { askedOutput } from '../admit/call-size.ts'
import { estimatedInput, inputSizeOf, usualEstimates } from '../admit/input-size.ts'

/**
 * The most tokens that a target writes for a call in one response: as configured, as the upstream lists it or has told in a
 * refusal, or as it is known of the model. Undefined if it is unknown.
 */
export function outputMaxOf(
  { gateway, call, outputTokensMax }: CallDraft,
  target: Target,
): number | undefined {
  if (call.operation !== 'chat' && call.operation !== 'complete') return undefined
  // Another gateway knows the maxima of its own targets.
  if (gateway.health.isGateway(target.providerId)) return undefined
  const learned = target.kind === 'upstream' ? gateway.learnedMaxima.of(target) : undefined
  const told = [outputTokensMax, target.outputTokensMax?.(), learned && withinWindow(call, learned)]
  const known = told.filter((tokens) => tokens !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}

/** The tokens that chat templates add to a prompt. */
const templateTokens = 100

/**
 * What a window leaves for the output, if the limit that is asked for is certain not to fit. The size of the prompt is
 * estimated, and rather too high.
 */
function withinWindow(
  call: CallDraft['call'],
  { tokens, window }: OutputMaximum,
): number | undefined {
  if (window === undefined) return tokens
  const asked = askedOutput(call)
  if (asked === undefined || asked < window) return undefined
  const left =
    window -
    templateTokens -
    estimatedInput(inputSizeOf(call, call.format.measure(call.request.outline)), usualEstimates)
  return left >= 1 ? left : undefined
}
