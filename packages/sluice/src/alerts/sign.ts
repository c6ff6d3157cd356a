import { createHmac } from 'node:crypto'

/** What a secret begins with in the form that the Standard Webhooks specification gives it; the rest is base64. */
const secretPrefix = 'whsec_'

export interface Signed {
  readonly id: string
  /** Seconds since the epoch. */
  readonly timestamp: number
  readonly body: string
}

/**
 * The headers of a message, by which its receiver can tell that it is ours, whole and of today (Standard Webhooks
 * specification, 'Signature scheme').
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
