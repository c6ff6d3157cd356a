// Writes the pages that are made of the program itself: errors, providers, commands, settings, and what the benchmark measured. They
// are not under version control.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorCodes } from '../../packages/contract/src/index.ts'
import { providers } from '../../packages/gateway/src/providers/index.ts'
import { sizingPart, speedPart } from './bench-parts.ts'
import { commandsPage } from './commands-page.ts'
import { errorList, errorPage } from './error-pages.ts'
import { plain } from './plain.ts'
import { providerList, providerPage } from './provider-pages.ts'
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

function schemaOf(file: string): object {
  return JSON.parse(readFileSync(join(root, file), 'utf8')) as object
}

emptied('errors')
for (const code of errorCodes) write(`errors/${code}.md`, errorPage(code))
write('errors/index.md', errorList())
emptied('providers')
for (const provider of providers.values())
  write(`providers/${provider.id}.md`, providerPage(provider))
write('providers/index.md', providerList())
emptied('public')
copyFileSync(join(root, 'packages/console/src/layout/icon.svg'), join(docs, 'public/icon.svg'))
emptied('parts')
write('parts/sizing.md', sizingPart(root))
write('parts/speed.md', speedPart(root))
write('commands.md', commandsPage().map(plain))
write('settings.md', [
  '# Settings of sluice.yaml',
  '',
  'The file is reloaded when it changes, completely or not at all. `sluice check` reports errors in it. Editors use its schema: `# yaml-language-server: $schema=./sluice.schema.json`. `${NAME}` refers to an environment variable.',
  '',
  ...schemaPage(schemaOf('sluice.schema.json')).map(plain),
])
write('apply-file.md', [
  '# The file of sluice apply',
  '',
  'The file that `sluice apply -f` reads; [accounts](/accounts#accounts-in-a-file) shows an example. Its schema for editors is `apply.schema.json`.',
  '',
  ...schemaPage(schemaOf('apply.schema.json')).map(plain),
])
