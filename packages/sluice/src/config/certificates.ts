import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ConfigError } from './config-error.ts'
import type { ProviderConfig } from '@sluice/gateway/settings/schema-provider.ts'

/**
 * The providers with the texts of their certificates and keys in place of the files' names.
 *
 * @throws ConfigError that names a setting whose file cannot be read or is something else.
 */
export function withCertificates(
  providers: Readonly<Record<string, ProviderConfig>>,
): Readonly<Record<string, ProviderConfig>> {
  return Object.fromEntries(
    Object.entries(providers).map(([id, provider]) => [id, read(id, provider)]),
  )
}

function read(id: string, provider: ProviderConfig): ProviderConfig {
  const { ca, certificate, certificateKey } = provider
  if (ca === undefined && certificate === undefined && certificateKey === undefined) return provider
  if ((certificate === undefined) !== (certificateKey === undefined))
    throw new ConfigError(`providers.${id}: certificate and certificateKey are set together`)
  const pem = (name: string, given: string | undefined, check: (text: string) => unknown) => {
    const text = given === undefined ? undefined : pemOf(`providers.${id}.${name}`, given, check)
    return text === undefined ? {} : { [name]: text }
  }
  return {
    ...provider,
    ...pem('ca', ca, (text) => new X509Certificate(text)),
    ...pem('certificate', certificate, (text) => new X509Certificate(text)),
    ...pem('certificateKey', certificateKey, (text) => createPrivateKey(text)),
  }
}

function pemOf(setting: string, given: string, check: (text: string) => unknown): string {
  const isText = given.trimStart().startsWith('-----BEGIN')
  const text = isText ? given : fileText(setting, given)
  try {
    check(text)
    return text
  } catch {
    throw new ConfigError(`${setting} is not in PEM, or not of that kind`)
  }
}

function fileText(setting: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new ConfigError(`${setting}: ${file} cannot be read`, { cause })
  }
}
