import { writeFileSync } from 'node:fs'
import { absoluteConfigFile } from '../config/config.ts'
import type { Environment } from '../config/env.ts'
import type { JsonOption } from './command.ts'
import { CommandError } from './command-error.ts'

const example = `# Settings of Sluice. A running gateway applies changes of this file at once; sluice check reads it without starting one.
# All settings: sluice config schema

# Providers of the catalogue are on as soon as their key is in the environment, such as OPENAI_API_KEY. Others have an address:
# providers:
#   acme:
#     type: openai
#     baseUrl: https://api.acme.example/v1
#     key: \${ACME_API_KEY}

# Names for one model, or for several that replace each other on failure:
# models:
#   fast:
#     targets: [openai/gpt-6-luna, acme/small]

# US dollars for a million tokens, where the bundled prices have none:
# prices:
#   acme/*: { input: 0.5, output: 1.5 }
`

/** Writes a settings file with examples, if there is none. */
export function initCommand(environment: Environment, { json = false }: JsonOption): string {
  const file = absoluteConfigFile(environment)
  try {
    writeFileSync(file, example, { flag: 'wx', mode: 0o600 })
  } catch (cause) {
    throw CommandError.because(`${file} was not written`, cause)
  }
  if (json) return JSON.stringify({ file })
  return [
    `${file} is written.`,
    'Next: sluice serve, then open the address that it prints. sluice doctor checks what it needs.',
  ].join('\n')
}
