import { AwsV4Signer } from 'aws4fetch'
import { type AwsIdentity, defaultChain, findsIdentity, identityOf } from './aws-identity.ts'
import type { Credentials } from './provider.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** The service's API key, otherwise a pair of access keys as one secret, otherwise AWS's default credential chain. */
export function awsSecretFrom(variables: Variables): string | undefined {
  const {
    AWS_BEARER_TOKEN_BEDROCK: key,
    AWS_ACCESS_KEY_ID: id,
    AWS_SECRET_ACCESS_KEY: secret,
    AWS_SESSION_TOKEN: session,
  } = variables
  if (key) return key
  if (!id || !secret) return findsIdentity(variables) ? defaultChain : undefined
  return session ? `${id}:${secret}:${session}` : `${id}:${secret}`
}

/** Whether a secret stands for the identity that AWS's tools find on this machine. */
export function isOfMachine(secret: string): boolean {
  return secret.trim() === defaultChain
}

/**
 * Signature Version 4 over URL and body, for secrets of the form `ID:SECRET[:SESSION]` and for `default-chain`, which uses
 * AWS's default credential chain. Any other secret is an API key and is sent as a bearer token. The region is the setting
 * `region`. Throws as `identityOf`.
 */
export function awsCredentials(service: string): Credentials {
  return async (secret, request, settings) => {
    const identity = secret === defaultChain ? await identityOf(settings) : readIdentity(secret)
    if (!identity) return { authorization: `Bearer ${secret}` }
    const signer = new AwsV4Signer({
      method: request.method,
      url: request.url,
      body: request.body === undefined ? null : new Uint8Array(request.body),
      ...identity,
      service,
      region: settings['region'] ?? 'us-east-1',
    })
    const { headers } = await signer.sign()
    return Object.fromEntries(headers)
  }
}

/** Parses access keys in one secret; undefined if it is not of that form. */
function readIdentity(secret: string): AwsIdentity | undefined {
  const [accessKeyId = '', secretAccessKey, ...session] = secret.split(':')
  if (secretAccessKey === undefined) return undefined
  const sessionToken = session.join(':')
  return { accessKeyId, secretAccessKey, ...(sessionToken === '' ? {} : { sessionToken }) }
}
