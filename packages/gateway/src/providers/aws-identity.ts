import { GatewayError } from '@sluice/contract'
import type { ProviderSettings } from './provider.ts'

/** Credentials that sign a request to AWS. */
export interface AwsIdentity {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/** The secret that selects AWS's default credential chain. */
export const defaultChain = 'default-chain'

/**
 * Variables that give a program an identity without keys: the role of a Kubernetes service account, of a container (ECS, EKS
 * Pod Identity), or a profile. The role of a machine (EC2) sets none and must be requested with `default-chain`.
 */
const identityVariables = [
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
  'AWS_PROFILE',
]

export function findsIdentity(variables: Readonly<Record<string, string | undefined>>): boolean {
  return identityVariables.some((name) => variables[name])
}

let chain: Promise<() => Promise<AwsIdentity>> | undefined

/**
 * The identity from AWS's default credential chain
 * (https://docs.aws.amazon.com/sdkref/latest/guide/standardized-credentials.html), cached until shortly before it expires.
 * The settings `httpsProxy` and `noProxy` lead to the
 * servers that give it. Throws `upstream_refused_us` if there is none, and `upstream_unavailable` if AWS could not be reached.
 */
export async function identityOf({ httpsProxy, noProxy }: ProviderSettings): Promise<AwsIdentity> {
  try {
    const proxyEnv = { HTTPS_PROXY: httpsProxy, NO_PROXY: noProxy }
    // The library is large, so it is loaded only when needed.
    chain ??= import('@aws-sdk/credential-provider-node').then(({ defaultProvider }) =>
      defaultProvider({ clientConfig: { requestHandler: { httpsAgent: { proxyEnv } } } }),
    )
    const { accessKeyId, secretAccessKey, sessionToken } = await (await chain)()
    return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) }
  } catch (cause) {
    const code = isRefusal(cause) ? 'upstream_refused_us' : 'upstream_unavailable'
    throw new GatewayError(code, 'AWS gave no credentials', { cause })
  }
}

/** Whether the chain has no identity, or AWS refuses to issue one. */
function isRefusal(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false
  return (
    cause.name.endsWith('CredentialsProviderError') ||
    ('$fault' in cause && cause.$fault === 'client')
  )
}
