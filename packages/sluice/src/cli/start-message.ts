import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { NewestEntry } from './audit-anchor.ts'
import type { InitialKeys } from '@sluice/store/keys/initial-keys.ts'

export interface StartFacts {
  readonly version: string
  readonly host: string
  readonly port: number
  /** From the start of the process until it listened. */
  readonly readyMs: number
  /** The keys created by this start; empty from the second start on. */
  readonly made: InitialKeys
  readonly dataFolder: string
  /** Whether SLUICE_API_KEYS is set. */
  readonly hasApiKeys: boolean
  readonly models: readonly string[]
  readonly providers: readonly string[]
  /** Absent if the audit log is empty. */
  readonly audit?: NewestEntry
}

/** The message `serve` prints on a terminal once it listens: address, initial keys, models and an example command. */
export function startMessage(facts: StartFacts): string {
  const { host, port, made, models, providers, dataFolder } = facts
  const address = reachableAddress(host, port)
  return [
    listening(facts),
    '',
    `  Data        ${dataFolder}`,
    ...keyLines(facts),
    `  Models      ${models.length > 0 ? models.join(', ') : 'those of the providers'}`,
    ...(providers.length > 0 ? [`  Providers   ${providers.join(', ')}`] : []),
    `  Reference   ${address}/docs`,
    '',
    'Try it:',
    '',
    `  ${curlLine(address, models[0], keyForCurl(facts, made))}`,
    '',
  ].join('\n')
}

/**
 * The message if output is not a terminal: one line in the log's format, without secrets, because such output is usually
 * stored.
 */
export function startLine(facts: StartFacts, time: Date): string {
  const { version, host, port, made, models, providers, dataFolder, audit } = facts
  const keysFile = initialKeysFile(facts)
  const line = {
    level: 'info',
    time: time.toISOString(),
    version,
    url: reachableAddress(host, port),
    data: dataFolder,
    ...(keysFile !== undefined && { keysFile }),
    ...(Object.keys(made).length > 0 && { madeKeys: Object.keys(made) }),
    models,
    providers,
    ...(audit && { audit }),
    msg: listening(facts),
  }
  return `${JSON.stringify(line)}\n`
}

function listening({ version, host, port, readyMs }: StartFacts): string {
  return `Sluice ${version} listens on ${addressOf(host, port)} (ready in ${Math.round(readyMs)} ms)`
}

function keyLines(facts: StartFacts): readonly string[] {
  const { made } = facts
  const file = initialKeysFile(facts)
  const lines = [
    ...(made.apiKey === undefined ? [] : [`  API key     ${made.apiKey}`]),
    ...(made.adminKey === undefined ? [] : [`  Admin key   ${made.adminKey}`]),
  ]
  if (lines.length > 0) return [...lines, `              (kept in ${file})`]
  return file === undefined ? [] : [`  Keys        in ${file}`]
}

/** The file from which the initial secrets can be read again. */
function initialKeysFile({ dataFolder }: StartFacts): string | undefined {
  const file = join(dataFolder, 'initial-keys.json')
  return existsSync(file) ? file : undefined
}

/** A shell expression for the key, so that later starts do not print it again. */
function keyForCurl({ dataFolder, hasApiKeys }: StartFacts, { apiKey }: InitialKeys): string {
  if (apiKey !== undefined) return apiKey
  if (hasApiKeys) return '${SLUICE_API_KEYS%%,*}'
  const file = join(dataFolder, 'initial-keys.json')
  return `$(sed -n 's/.*"apiKey": "\\(.*\\)".*/\\1/p' '${file}')`
}

function curlLine(address: string, model: string | undefined, key: string): string {
  const body = {
    model: model ?? 'MODEL',
    messages: [{ role: 'user', content: 'What is 6 times 7?' }],
  }
  return [
    `curl -s ${address}/v1/chat/completions`,
    `-H "Authorization: Bearer ${key}"`,
    `-H "Content-Type: application/json"`,
    `-d '${JSON.stringify(body)}'`,
  ].join(' ')
}

function addressOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** The address on this machine: loopback if the server listens on all addresses. */
export function reachableAddress(host: string, port: number): string {
  const everywhere = host === '0.0.0.0' || host === '::' || host === ''
  return addressOf(everywhere ? '127.0.0.1' : host, port)
}
