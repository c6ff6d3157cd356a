import type { Native } from '@sluice/protocols'
import type { UpstreamTarget } from '../route/routing.ts'
import { formatReports, modeOf, type CallDraft } from './call-run.ts'

type Headers = Readonly<Record<string, string>>

/** The caller's headers that are sent on. What the upstream does not take of them is reported as left out. */
export function headersFor(run: CallDraft, target: UpstreamTarget, native: Native): Headers {
  const { headers: given, request } = run.call
  const headers: Record<string, string> = {}
  for (const name of native.headers ?? []) {
    const value = given[name]
    if (value !== undefined) headers[name] = value
  }
  // Ids of the caller's own account mean nothing in the gateway's, and those of the gateway's are not the caller's to use.
  for (const name of native.heldHeaders ?? [])
    if (given[name] !== undefined) formatReports(run.call, modeOf(run, target)).leftOut(name)
  if (!native.fitHeaders) return headers
  return native.fitHeaders(headers, request.outline, (name) =>
    formatReports(run.call, modeOf(run, target)).leftOut(
      name,
      `${target.providerId} does not take all of '${name}'`,
    ),
  )
}
