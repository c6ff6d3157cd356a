import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../temporary-folder.ts'

const linter = fileURLToPath(new URL('../../../node_modules/.bin/redocly', import.meta.url))

/** The problems that Redocly's recommended rules find in an OpenAPI document; there should be none. */
export function lint(document: object): { readonly problems: readonly string[] } {
  using folder = temporaryFolder()
  const file = join(folder.path, 'openapi.json')
  writeFileSync(file, JSON.stringify(document))
  const options = ['lint', '--extends=recommended', '--format=json', '--max-problems=1000', file]
  const output = runLinter(options)
  const report: { totals: object; problems: { ruleId: string; message: string }[] } =
    JSON.parse(output)
  return { problems: report.problems.map(({ ruleId, message }) => `${ruleId}: ${message}`) }
}

function runLinter(options: readonly string[]): string {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  try {
    return execFileSync(linter, options, { encoding: 'utf8', stdio: 'pipe', env })
  } catch (error) {
    if (error instanceof Error && 'stdout' in error && error.stdout !== '')
      return String(error.stdout)
    throw error
  }
}
