import { GatewayError } from '@sluice/contract'

/** Who signs a request to AWS. */
export interface AwsIdentity {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/** The secret that stands for whatever AWS's own tools would sign with. */
export const defaultChain = 'default-chain'

/**
 * Variables that give a program an identity without keys: a role of a Kubernetes service account, a role of a container
 * (ECS, EKS Pod Identity), or a profile. The role of a machine (EC2) sets none: it has to be asked for by `default-chain`.
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
 * The identity by AWS's default chain of providers
 * (https://docs.aws.amazon.com/sdkref/latest/guide/standardized-credentials.html), kept until shortly before it expires.
 * Throws `upstream_refused_us` where there is none, and `upstream_unavailable` where AWS could not be asked for it.
 */
export async function identityOf(): Promise<AwsIdentity> {
  try {
    // The library is large, so it is loaded only where it is used.
    chain ??= import('@aws-sdk/credential-provider-node').then(({ defaultProvider }) =>
      defaultProvider(),
    )
    const { accessKeyId, secretAccessKey, sessionToken } = await (await chain)()
    return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) }
  } catch (cause) {
    const code = isRefusal(cause) ? 'upstream_refused_us' : 'upstream_unavailable'
    throw new GatewayError(code, 'AWS gave no credentials', { cause })
  }
}

/** Nothing in the chain knows an identity, or AWS says that this one is not to be had. */
function isRefusal(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false
  return (
    cause.name.endsWith('CredentialsProviderError') ||
    ('$fault' in cause && cause.$fault === 'client')
  )
}
