import { readFileSync } from 'node:fs'
import type { Environment } from '../config/env.ts'
import { explain as explanation } from '@sluice/server/admin/explain.ts'
import { runningGateway } from './ask-admin.ts'
import type { UrlOption } from './command.ts'
import { CommandError } from './command-error.ts'

interface ExplainOptions extends UrlOption {
  /** The path of the request. */
  readonly path: string
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
    throw CommandError.because(`The request ${file} cannot be read`, cause)
  }
}
