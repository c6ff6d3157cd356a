import type { ChatRequest } from '@sluice/contract'
import { engineCard } from '@sluice/engine'
import { reportBetas } from '@sluice/protocols/claude/betas.ts'
import { reportUnlisted, reportUnsupportedProviderTools } from '@sluice/protocols/decisions.ts'
import { noReasoning, reportLostReasoning } from '@sluice/protocols/lost-reasoning.ts'
import { withCallersFunctions } from '@sluice/protocols/tools/callers-tools.ts'
import type { AnyRequest } from '../call/canonical.ts'
import type { EngineTarget } from '../route/routing.ts'
import { type CallDraft, canonicalOf, modeOf, reportsOf } from './call-run.ts'
import { outputMaxOf } from './output-max.ts'
import { lowered } from './prepare-codec.ts'

/** The request as an engine in this process gets it. Fields that no engine takes are refused or reported. */
export function prepareEngine(run: CallDraft, target: EngineTarget): AnyRequest {
  const { operation, headers } = run.call
  const reports = reportsOf(run, target)
  const translated = lowered(run, canonicalOf(run, modeOf(run, target)), {
    ...reports,
    outputTokensMax: outputMaxOf(run, target),
  })
  // Only chat requests have such tools.
  const request = withCallersFunctions(translated as ChatRequest, () => false, reports)
  if (operation === 'chat') {
    reportUnsupportedProviderTools(request, reports)
    reportBetas({ ...reports, headers })
    // Other engines say themselves what they keep of it.
    if (target.providerId === engineCard.id) reportLostReasoning(request, noReasoning, reports)
  }
  reportUnlisted(operation, request, reports)
  return request
}
