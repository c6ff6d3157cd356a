import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { InitialKeys } from '../storage/initial-keys.ts'

export interface StartFacts {
  readonly version: string
  readonly host: string
  readonly port: number
  /** From the start of the process until it listened. */
  readonly readyMs: number
  /** What this start made; empty from the second start on. */
  readonly made: InitialKeys
  readonly dataFolder: string
  /** Whether SLUICE_API_KEYS is set. */
  readonly hasApiKeys: boolean
  readonly models: readonly string[]
  readonly providers: readonly string[]
}

/** What `serve` prints on a terminal once it listens: address, keys of the first start, models, and a line to paste. */
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
 * The same where no terminal is: one line in the form of the log, without a secret, since what a process prints there
 * is kept by others.
 */
export function startLine(facts: StartFacts, time: Date): string {
  const { version, host, port, made, models, providers, dataFolder } = facts
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

/** Where the secrets of the first start can be read again. */
function initialKeysFile({ dataFolder }: StartFacts): string | undefined {
  const file = join(dataFolder, 'initial-keys.json')
  return existsSync(file) ? file : undefined
}

/** Something a shell turns into a key, without one being printed again on later starts. */
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

/** An address for use on this machine: one that listens everywhere is reached on loopback. */
export function reachableAddress(host: string, port: number): string {
  const everywhere = host === '0.0.0.0' || host === '::' || host === ''
  return addressOf(everywhere ? '127.0.0.1' : host, port)
}
