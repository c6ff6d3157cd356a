import { createHmac } from 'node:crypto'

/** Prefix of a secret in the form of the Standard Webhooks specification; the rest is base64. */
const secretPrefix = 'whsec_'

export interface Signed {
  readonly id: string
  /** Seconds since the epoch. */
  readonly timestamp: number
  readonly body: string
}

/**
 * The headers that let a receiver verify a message's origin, integrity and time (Standard Webhooks specification, 'Signature
 * scheme').
 */
export function signedHeaders(
  secret: string,
  { id, timestamp, body }: Signed,
): Readonly<Record<string, string>> {
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    'content-type': 'application/json',
    'user-agent': 'sluice',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
  }
}
