import { readFileSync } from 'node:fs'
import { loadConfig } from '../config/config.ts'
import type { Environment } from '../config/env.ts'
import { readInitialKeys } from '@sluice/store/keys/initial-keys.ts'
import { askServer } from './ask-server.ts'
import { CommandError } from './command-error.ts'
import { reachableAddress } from './start-message.ts'

export interface ExplainOptions {
  /** The path of the request. */
  readonly path: string
  /** The gateway's URL. Default: from the settings. */
  readonly url?: string
}

const waitMs = 30_000

/** Asks a running gateway which target it would choose for a request, and what it would send to it. */
export async function explain(
  environment: Environment,
  file: string,
  { path, url }: ExplainOptions,
): Promise<string> {
  const { server, adminKey: given, dataFolder } = await loadConfig(environment)
  const adminKey = given ?? readInitialKeys(dataFolder).adminKey
  if (adminKey === undefined)
    throw new CommandError(
      'explain needs the administrator key: set SLUICE_ADMIN_KEY, or run it beside the data folder',
    )
  const address = (url ?? reachableAddress(server.host, server.port)).replace(/\/+$/, '')
  const request = readRequest(file)
  const answer = await askServer(`${address}/admin/v1/explain`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ path, request }),
    timeoutMs: waitMs,
  }).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : 'unknown reason'
    throw new CommandError(`No gateway answers at ${address}: ${reason}`, { cause })
  })
  if (answer.status !== 200)
    throw new CommandError(`The gateway refused (${answer.status}): ${messageOf(answer.text)}`)
  return JSON.stringify(JSON.parse(answer.text), null, 2)
}

function readRequest(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file === '-' ? 0 : file, 'utf8'))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown reason'
    throw new CommandError(`The request ${file} cannot be read: ${reason}`, { cause })
  }
}

/** The message of an error body. */
export function messageOf(text: string): string {
  try {
    const body: { error?: { message?: string } } = JSON.parse(text)
    return body.error?.message ?? text
  } catch {
    return text.slice(0, 500)
  }
}
