import { readFileSync } from 'node:fs'
import { isObject } from '@sluice/contract'
import { parse } from 'yaml'
import { providerStateEndpoints } from '@sluice/server/admin/providers.ts'
import { providerEndpoints } from '@sluice/server/admin/provider-settings.ts'
import type { Environment } from '../config/env.ts'
import { parsePath } from '../config/edit.ts'
import { runningGateway } from './ask-admin.ts'
import type { GatewayOptions, Printed } from './command.ts'
import { CommandError } from './command-error.ts'
import { printedPlan } from './setting-plan.ts'
import { formatTable } from './table.ts'

export interface SetProviderOptions extends GatewayOptions {
  readonly kind?: string
  readonly type?: string
  readonly baseUrl?: string
  readonly keyFile?: string
  /** Each as `field=value`, with a YAML value. */
  readonly set?: readonly string[]
  readonly dryRun?: boolean
}

const open = (environment: Environment, { url }: GatewayOptions) =>
  runningGateway(environment, url, 'Providers are changed with an')

/** Lists all providers: what is on, why not, and where each is declared. */
export async function listProvidersCommand(
  environment: Environment,
  options: GatewayOptions,
): Promise<string> {
  await using admin = await open(environment, options)
  const { data } = await admin.ask(providerStateEndpoints.list)
  if (options.json === true) return JSON.stringify(data, null, 2)
  const shown = data.filter(({ on, configuredBy }) => on || configuredBy !== null)
  return formatTable(
    ['ID', 'STATE', 'FROM', 'KEYS', 'ADDRESS'],
    shown.map(({ id, on, why, configuredBy, keys, baseUrl }) => [
      id,
      on ? 'on' : 'off',
      configuredBy ?? 'built in',
      String(keys),
      why ?? baseUrl ?? '',
    ]),
  )
}

/** Adds a provider to the database of the gateway, or changes one there. */
export async function setProviderCommand(
  environment: Environment,
  name: string,
  options: SetProviderOptions,
): Promise<Printed> {
  const providers = { [name]: fieldsOf(options) }
  await using admin = await open(environment, options)
  const plan = await admin.ask(providerEndpoints.plan, { body: { providers } })
  const isApplied = options.dryRun !== true && plan.changes.length > 0
  if (isApplied) await admin.ask(providerEndpoints.apply, { body: { providers, etag: plan.etag } })
  return printedPlan(
    {
      changes: plan.changes.map(({ provider, ...change }) => ({ name: provider, ...change })),
      problems: plan.problems.map(({ provider, problem }) => `${provider}: ${problem}`),
      isApplied,
    },
    options,
  )
}

/** Replaces the key of a provider, and keeps everything else. */
export function rotateProviderKeyCommand(
  environment: Environment,
  name: string,
  options: GatewayOptions & { readonly keyFile: string },
): Promise<Printed> {
  return setProviderCommand(environment, name, options)
}

/** Removes a provider from the database of the gateway. */
export async function removeProviderCommand(
  environment: Environment,
  name: string,
  options: GatewayOptions,
): Promise<string> {
  await using admin = await open(environment, options)
  const { providers, etag } = await admin.ask(providerEndpoints.get)
  if (!Object.hasOwn(providers, name))
    throw new CommandError(`There is no provider ${name} in the database: sluice providers list`)
  const { changes } = await admin.ask(providerEndpoints.apply, {
    body: { providers: { [name]: null }, etag },
  })
  return options.json === true ? JSON.stringify({ changes }, null, 2) : `Removed ${name}.`
}

/** Makes a small chat call to a provider. */
export async function testProviderCommand(
  environment: Environment,
  name: string,
  options: GatewayOptions & { readonly model?: string },
): Promise<Printed> {
  await using admin = await open(environment, options)
  const { model } = options
  const result = await admin.ask(providerStateEndpoints.test, {
    path: { id: name },
    body: model === undefined ? {} : { model },
  })
  const { ok, durationMs, message, request } = result
  const line = ok
    ? `${result.model} answered in ${durationMs} ms (request ${request}).`
    : `${result.model} failed after ${durationMs} ms (request ${request}): ${message ?? result.errorCode ?? result.status}`
  return { text: options.json === true ? JSON.stringify(result, null, 2) : line, isFine: ok }
}

/** Encrypts all providers in the database with the first key of SLUICE_ENCRYPTION_KEY. */
export async function resealProvidersCommand(
  environment: Environment,
  options: GatewayOptions,
): Promise<string> {
  await using admin = await open(environment, options)
  const result = await admin.ask(providerEndpoints.reseal)
  if (options.json === true) return JSON.stringify(result, null, 2)
  return `${result.encrypted} providers were encrypted with another key, and are encrypted with the newest now.`
}

function fieldsOf({ kind, type, baseUrl, keyFile, set = [] }: SetProviderOptions) {
  return {
    ...(kind !== undefined && { kind }),
    ...(type !== undefined && { type }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(keyFile !== undefined && { key: keyIn(keyFile) }),
    ...Object.assign({}, ...set.map(fieldOf)),
  } as Readonly<Record<string, unknown>>
}

function fieldOf(text: string): object {
  const [, field, value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (field === undefined || value === undefined)
    throw new CommandError(`--set ${text} is not of the form field=value`)
  const [first, ...rest] = parsePath(field)
  if (first === undefined || rest.length > 0)
    throw new CommandError(`--set ${field} must name one field, such as timeouts={totalMs: 60000}`)
  return { [first]: yamlIn(value) }
}

function yamlIn(text: string): unknown {
  try {
    const value: unknown = parse(text)
    return value === undefined || isObject(value) || value !== '' ? value : null
  } catch (cause) {
    throw new CommandError(`The value is not YAML: ${JSON.stringify(text)}`, { cause })
  }
}

function keyIn(file: string): string {
  try {
    const key = readFileSync(file === '-' ? 0 : file, 'utf8').trim()
    if (key !== '') return key
  } catch (cause) {
    throw new CommandError(`The key file ${file} cannot be read`, { cause })
  }
  throw new CommandError(`The key file ${file} is empty`)
}
