import { readFileSync } from 'node:fs'
import type { Environment } from '../config/env.ts'
import { explain as explanation } from '@sluice/server/admin/explain.ts'
import { runningGateway } from './ask-admin.ts'
import { CommandError } from './command-error.ts'

export interface ExplainOptions {
  /** The path of the request. */
  readonly path: string
  /** The gateway's URL. Default: from the settings. */
  readonly url?: string
}

/** Asks a running gateway which target it would choose for a request, and what it would send to it. */
export async function explain(
  environment: Environment,
  file: string,
  { path, url }: ExplainOptions,
): Promise<string> {
  const gateway = await runningGateway(environment, url, 'explain needs the')
  const body = { path, request: readRequest(file) }
  return JSON.stringify(await gateway.ask(explanation, { body }), null, 2)
}

function readRequest(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file === '-' ? 0 : file, 'utf8'))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown reason'
    throw new CommandError(`The request ${file} cannot be read: ${reason}`, { cause })
  }
}
