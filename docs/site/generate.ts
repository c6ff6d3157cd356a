// Writes the pages that are made of the program itself: errors, providers and settings. They are not under version control.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ErrorCode, errorCodes, GatewayError } from '../../packages/contract/src/index.ts'
import type { Provider } from '../../packages/sluice/src/providers/provider.ts'
import { providers } from '../../packages/sluice/src/providers/index.ts'
import { errorMeanings } from './error-meanings.ts'
import { schemaPage } from './schema-page.ts'

const docs = join(import.meta.dirname, '..')
const root = join(docs, '..')

function write(file: string, lines: readonly string[]): void {
  writeFileSync(join(docs, file), `${lines.join('\n')}\n`)
}

function emptied(folder: string): void {
  rmSync(join(docs, folder), { recursive: true, force: true })
  mkdirSync(join(docs, folder))
}

/** As Vue reads a page: a brace pair would be an expression, and an angle bracket a tag. */
function plain(text: string): string {
  const escaped = text.replaceAll('{{', '&#123;&#123;').replaceAll('<', '&lt;')
  return escaped.replaceAll('|', '\\|').replaceAll('¦', '|')
}

const blames = {
  caller: 'the caller’s request',
  upstream: 'the provider; other targets are asked before this is answered',
  operator: 'the gateway or its settings',
}

function errorPage(code: ErrorCode): readonly string[] {
  const error = new GatewayError(code, 'What went wrong, in a sentence', { param: 'field' })
  const { when, help } = errorMeanings[code]
  return [
    `# ${code}`,
    '',
    when,
    '',
    `**What helps:** ${help}`,
    '',
    `| | |`,
    '|---|---|',
    `| status | ${error.status}${code === 'upstream_rejected' ? ', or the provider’s own' : ''} |`,
    `| \`error.type\` | \`${error.type}\` |`,
    `| \`error.code\` | ${error.publicCode === null ? '`null`' : `\`${error.publicCode}\``} |`,
    `| about | ${blames[error.blame]} |`,
    `| in the log | \`code: ${code}\` |`,
    '',
    'The body in the words of OpenAI; Anthropic’s and Gemini’s clients get it in theirs.',
    '',
    '```json',
    JSON.stringify(error.toJSON(), null, 2),
    '```',
  ]
}

function writeErrors(): void {
  emptied('errors')
  for (const code of errorCodes) write(`errors/${code}.md`, errorPage(code))
  const rows = errorCodes.map((code) => {
    const error = new GatewayError(code, '')
    const shown = error.publicCode === null ? '' : `\`${error.publicCode}\``
    return `| ${error.status} | [${code}](./${code}) | ${shown} | ${errorMeanings[code].when} |`
  })
  write('errors/index.md', [
    '# Errors',
    '',
    'The name is what the log says as `code`; `error.code` is what callers see. A failed attempt is told to the caller only where no other target was left to ask.',
    '',
    '| status | name | `error.code` | when |',
    '|---|---|---|---|',
    ...rows,
  ])
}

function variablesOf({ environment }: Provider): string {
  return environment.length === 0 ? 'none' : environment.map((name) => `\`${name}\``).join(' or ')
}

function providerPage(provider: Provider): readonly string[] {
  const { id, name, protocol, baseUrl, environment, documentation } = provider
  const [variable] = environment
  return [
    `# ${name}`,
    '',
    `| | |`,
    '|---|---|',
    `| id | \`${id}\` |`,
    `| protocol | \`${protocol.id}\` |`,
    `| address | \`${plain(baseUrl)}\` |`,
    `| key | ${variablesOf(provider)} |`,
    ...(documentation ? [`| documentation | <${documentation}> |`] : []),
    `| operations | ${Object.keys(protocol.codecs).join(', ')} |`,
    '',
    variable === undefined
      ? `It needs no key. Turn it on in \`sluice.yaml\`, or let \`sluice discover --write\` find it:`
      : `It is on wherever \`${variable}\` is set. More than one key, or another address, in \`sluice.yaml\`:`,
    '',
    '```yaml',
    '# sluice.yaml',
    'providers:',
    `  ${id}:`,
    ...(variable === undefined
      ? [`    baseUrl: ${/[{]/.test(baseUrl) ? 'https://example.com/v1' : baseUrl}`]
      : [`    keys: ["\${${variable}}"]`]),
    '```',
    '',
    `\`${id}/<model>\` reaches any of its models, from every client format. See [routing](/routing).`,
  ]
}

function writeProviders(): void {
  emptied('providers')
  for (const provider of providers.values())
    write(`providers/${provider.id}.md`, providerPage(provider))
  write('providers/index.md', [
    '# Providers',
    '',
    `${providers.size} are known. One is on as soon as its key is in the environment; any other server by \`type\` and \`baseUrl\`, and packages of the AI SDK by \`type: ai-sdk\`: [settings](/settings#providers).`,
    '',
    '| provider | id | protocol | key |',
    '|---|---|---|---|',
    ...[...providers.values()].map(
      (provider) =>
        `| [${provider.name}](./${provider.id}) | \`${provider.id}\` | \`${provider.protocol.id}\` | ${variablesOf(provider)} |`,
    ),
  ])
}

function schemaOf(file: string): object {
  return JSON.parse(readFileSync(join(root, file), 'utf8')) as object
}

writeErrors()
writeProviders()
write('settings.md', [
  '# Settings of sluice.yaml',
  '',
  'The file is reloaded when it changes, whole or not at all. `sluice check` says what is wrong with it, and editors know it by its schema: `# yaml-language-server: $schema=./sluice.schema.json`. `${NAME}` stands for a variable of the environment.',
  '',
  ...schemaPage(schemaOf('sluice.schema.json')).map(plain),
])
write('apply-file.md', [
  '# The file of sluice apply',
  '',
  'What `sluice apply -f` reads; [accounts](/accounts#accounts-in-a-file) shows one. Its schema for editors is `apply.schema.json`.',
  '',
  ...schemaPage(schemaOf('apply.schema.json')).map(plain),
])
