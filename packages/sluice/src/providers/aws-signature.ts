import { AwsV4Signer } from 'aws4fetch'
import type { Credentials } from './provider.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** An API key of the service, else a pair of access keys as one secret. */
export function awsSecretFrom(variables: Variables): string | undefined {
  const {
    AWS_BEARER_TOKEN_BEDROCK: key,
    AWS_ACCESS_KEY_ID: id,
    AWS_SECRET_ACCESS_KEY: secret,
    AWS_SESSION_TOKEN: session,
  } = variables
  if (key) return key
  if (!id || !secret) return undefined
  return session ? `${id}:${secret}:${session}` : `${id}:${secret}`
}

/**
 * Signature Version 4 over address and body, for secrets of the form `ID:SECRET[:SESSION]`; any other secret is an API
 * key and travels as a bearer token. The region is the setting of that name.
 */
export function awsCredentials(service: string): Credentials {
  return async (secret, request, settings) => {
    const [accessKeyId = '', secretAccessKey, ...session] = secret.split(':')
    if (secretAccessKey === undefined) return { authorization: `Bearer ${secret}` }
    const sessionToken = session.join(':')
    const signer = new AwsV4Signer({
      method: request.method,
      url: request.url,
      body: request.body === undefined ? null : new Uint8Array(request.body),
      accessKeyId,
      secretAccessKey,
      ...(sessionToken === '' ? {} : { sessionToken }),
      service,
      region: settings['region'] ?? 'us-east-1',
    })
    const { headers } = await signer.sign()
    return Object.fromEntries(headers)
  }
}
