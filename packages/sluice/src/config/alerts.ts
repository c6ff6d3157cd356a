import { ConfigError } from './config-error.ts'
import type { AlertsConfig } from './schema-alerts.ts'

/** The webhooks, and the error rate that triggers an alert. */
export interface Alerting {
  readonly webhooks: NonNullable<AlertsConfig['webhooks']>
  readonly errorRate: Required<NonNullable<AlertsConfig['errorRate']>>
}

/** The range required by the Standard Webhooks specification. */
const secretBytes = { min: 24, max: 64 }

/** @throws ConfigError for an invalid URL or secret. The message contains neither, because both may be secret. */
export function readAlerts({ webhooks = [], errorRate }: AlertsConfig): Alerting {
  for (const [index, { url, secret }] of webhooks.entries()) {
    const at = `alerts.webhooks[${index}]`
    const { protocol, username, password } = URL.parse(url) ?? {}
    if ((protocol !== 'http:' && protocol !== 'https:') || `${username}${password}` !== '')
      throw new ConfigError(`${at}.url must be an http or https URL without a password`)
    const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? []
    const { length } = Buffer.from(base64, 'base64')
    if (length < secretBytes.min || length > secretBytes.max)
      throw new ConfigError(
        `${at}.secret must be whsec_ and ${secretBytes.min} to ${secretBytes.max} bytes in base64`,
      )
  }
  return { webhooks, errorRate: { percent: 25, minutes: 5, calls: 50, ...errorRate } }
}
