import { operations } from '@sluice/contract'
import type { ClientFormat, FormatName } from '@sluice/protocols/client-format.ts'
import { formats } from '@sluice/protocols/formats.ts'
import { handle } from '@sluice/gateway/answer/answer.ts'
import { countTokens } from '@sluice/gateway/answer/count-tokens.ts'
import { countResponse } from '@sluice/gateway/stored/count-response.ts'
import { compactResponse, createResponse } from '@sluice/gateway/stored/responses.ts'
import { createVideo } from '@sluice/gateway/stored/videos.ts'
import type { Address } from './address.ts'
import { getAbout } from './admin/about.ts'
import { accountAddresses } from './admin/accounts.ts'
import { listAudit } from './admin/audit.ts'
import { resetBudgets } from './admin/budget-resets.ts'
import { listBudgets } from './admin/budgets.ts'
import { contentAddresses } from './admin/contents.ts'
import { explain } from './admin/explain.ts'
import { importAccounts } from './admin/import.ts'
import { keyAddresses } from './admin/keys.ts'
import { listRoutedModels } from './admin/model-list.ts'
import { listNames } from './admin/names.ts'
import { getOverview } from './admin/overview.ts'
import { listProblems } from './admin/problems.ts'
import { providerSettingsAddresses } from './admin/provider-settings.ts'
import { providerAddresses } from './admin/providers.ts'
import { listRefusals } from './admin/refusals.ts'
import { requestAddresses } from './admin/requests.ts'
import { routeAddresses } from './admin/routes-plan.ts'
import { getSettings } from './admin/settings.ts'
import { consoleAddresses } from './console.ts'
import { conversationAddresses } from './conversations.ts'
import { documentAddresses } from './docs.ts'
import { addressOf } from './endpoint.ts'
import { checkHealth, checkReadiness } from './health.ts'
import { getStatus } from './home.ts'
import { downloadImage } from './images.ts'
import { bodyRead, type Inference, servedBy } from './inference.ts'
import { getMetrics } from './metrics.ts'
import { modelAddresses, openAiModels } from './model-addresses.ts'
import { contractedElsewhere } from './not-implemented.ts'
import { createOpenApi } from './openapi.ts'
import { oidcAddresses } from './oidc.ts'
import { openAiElsewhere, otherVersions, withoutCollection } from './other-addresses.ts'
import { ownKeyAddresses } from './own-keys.ts'
import { getOwnUsage } from './own-usage.ts'
import { responseAddresses } from './responses.ts'
import { sessionAddresses } from './session.ts'
import { matchPath, pathPattern } from './urls.ts'
import { usageAddresses } from './usage.ts'
import { reconcileUsage } from './usage-reconcile.ts'
import { serveVideo, serveVideoContent, videoAddresses } from './videos.ts'

/** Formats with their own handler; all others use `handle`. */
const handlers: Readonly<Partial<Record<FormatName, Inference['handle']>>> = {
  createVideo,
  responses: createResponse,
  responsesCompact: compactResponse,
  responsesInputTokens: countResponse,
}

/** Formats answered from the store. */
const kept: Readonly<Partial<Record<FormatName, Pick<Address, 'serve' | 'uncounted'>>>> = {
  getVideo: { serve: serveVideo, uncounted: true },
  downloadVideo: { serve: serveVideoContent },
}

/** All endpoints of the gateway, in the order of the OpenAPI document. */
export const addresses: readonly Address[] = [
  ...formats.flatMap((format) => format.paths.map((path) => inferenceAt(format, path))),
  ...modelAddresses,
  ...openAiElsewhere(openAiAddresses()),
  ...videoAddresses,
  ...responseAddresses,
  ...conversationAddresses,
  ...[downloadImage, getOwnUsage].map(addressOf),
  ...ownKeyAddresses,
  addressOf(explain),
  ...accountAddresses,
  ...keyAddresses,
  ...[importAccounts, resetBudgets, listAudit, listNames].map(addressOf),
  ...requestAddresses,
  addressOf(listRefusals),
  ...contentAddresses,
  ...usageAddresses,
  ...[reconcileUsage, listBudgets, getOverview, listProblems].map(addressOf),
  ...sessionAddresses,
  ...oidcAddresses,
  ...providerAddresses,
  addressOf(listRoutedModels),
  ...routeAddresses,
  ...providerSettingsAddresses,
  ...[getSettings, getAbout, checkHealth, checkReadiness, getMetrics, getStatus].map(addressOf),
  ...consoleAddresses,
  ...documentAddresses(
    () => createOpenApi(addresses),
    () => createOpenApi(addresses.filter(({ path }) => !elsewhere.test(path))),
  ),
  ...contractedElsewhere,
]

/** Where OpenAI's and Google's operations are served a second time. */
const elsewhere = /^\/(?:v1beta\/openai|v1alpha|openai)\//

function inferenceAt(format: ClientFormat, path: string): Address {
  const inference: Inference = {
    format,
    body: bodyRead(format),
    handle: handlers[format.id] ?? (format.counted ? countTokens : handle),
  }
  return {
    method: operations[format.operation].method,
    path,
    access: 'caller',
    operation: format.operation,
    face: format,
    format,
    // The playground sends requests in OpenAI's own format.
    isForConsole: format.isOwn === true,
    isSized: !(format.id in kept),
    description: { format },
    serve: servedBy(inference),
    ...kept[format.id],
  }
}

/** The addresses of OpenAI's API, the usual one of each operation. */
function openAiAddresses(): readonly Address[] {
  const own = formats.filter(({ isOwn, tag }) => isOwn === true || tag === 'Responses')
  return [
    ...own.flatMap((format) => format.paths.slice(0, 1).map((path) => inferenceAt(format, path))),
    ...openAiModels,
    ...videoAddresses,
    ...responseAddresses,
    ...conversationAddresses,
  ]
}

/** All served endpoints, including those that the reference omits. */
const served: readonly Address[] = addresses.flatMap((address) => [
  address,
  ...(isMethod(address) ? withoutCollection(address) : otherVersions(address)),
])

/** The endpoints at a path, of any method. */
export function servedAt(path: string): readonly Address[] {
  return served.filter((address) => pathPattern(address.path).test(path))
}

/**
 * The endpoints as the router needs them: those whose path goes on after a model, which may contain slashes, share one route
 * (`{model}:generateContent`, `{deployment}/embeddings`).
 */
export function installRoutes(): readonly Address[] {
  const goOn = served.filter(goesOn)
  const roots = new Set(goOn.map(rootOf))
  return [
    ...served.filter((address) => !goesOn(address)),
    ...[...roots].flatMap((root) => sharedAddress(goOn.filter((each) => rootOf(each) === root))),
  ]
}

function isMethod({ path }: Address): boolean {
  return path.includes('}:')
}

function goesOn({ path }: Address): boolean {
  return /\{(?:model|deployment)\}./.test(path)
}

function rootOf({ path }: Address): string {
  return path.slice(0, path.indexOf('{'))
}

/** One route for the addresses of a root. It serves nothing itself: `select` finds the address that a path names. */
function sharedAddress(addresses: readonly Address[]): readonly Address[] {
  const [first] = addresses
  if (!first) return []
  const patterns = addresses.map((address) => ({ pattern: pathPattern(address.path), address }))
  return [
    {
      ...first,
      path: `${rootOf(first)}{verb}`,
      select(path) {
        for (const { pattern, address } of patterns) {
          const parameters = matchPath(pattern, path)
          if (parameters) return { address, parameters }
        }
        return undefined
      },
    },
  ]
}
