import type { Address } from './address.ts'
import { aliasId } from './openapi-operation.ts'

/** The same endpoint at another path, which also names it in the OpenAPI document. */
function at(address: Address, path: string): Address {
  const { description } = address
  if (description === 'none' || 'format' in description) return { ...address, path }
  const operationId = aliasId(description.operationId, path)
  return { ...address, path, description: { ...description, operationId } }
}

/** The same endpoints below another root. */
export function below(
  root: string,
  addresses: readonly Address[],
  instead = '/v1',
): readonly Address[] {
  return addresses.map((address) => at(address, root + address.path.slice(instead.length)))
}

/**
 * Where other APIs have OpenAI's addresses: Google's OpenAI compatibility (https://ai.google.dev/gemini-api/docs/openai) and
 * Azure (https://learn.microsoft.com/azure/foundry/openai/api-version-lifecycle).
 */
const openAiRoots = ['/v1beta/openai', '/v1alpha/openai', '/openai/v1']

/** Azure's older addresses (https://learn.microsoft.com/azure/foundry/openai/reference). A deployment is a model. */
const deploymentRoot = '/openai/deployments/{deployment}'

/** All further addresses of OpenAI's API. */
export function openAiElsewhere(addresses: readonly Address[]): readonly Address[] {
  const deployed = addresses.filter(
    ({ format, method }) => format?.isOwn === true && method === 'POST',
  )
  return [
    ...openAiRoots.flatMap((root) => below(root, addresses)),
    ...below(deploymentRoot, deployed),
  ]
}

/** Addresses that are served and not described: some base URLs lack the version, and some clients add their own. */
export function otherVersions(address: Address): readonly Address[] {
  if (address.access !== 'caller') return []
  const [, root, rest] = /^(|\/openai)\/v1(\/.+)$/.exec(address.path) ?? []
  if (root === undefined || rest === undefined) return []
  const paths = [`${root}${rest}`, ...(root === '' ? [`/v1${address.path}`] : [])]
  return paths.map((path) => ({ ...address, path, description: 'none' }))
}

/**
 * The AI SDK's Google provider treats a model name with a slash as a whole path and requests `provider/model` directly below
 * the version.
 */
export function withoutCollection(address: Address): readonly Address[] {
  const [version, rest] = address.path.split('models/')
  if (version === '/v1/' || rest === undefined) return []
  return [{ ...address, path: `${version}${rest}`, description: 'none' }]
}
