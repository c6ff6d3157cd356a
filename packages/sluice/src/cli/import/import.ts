import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { importAccounts } from '@sluice/server/admin/import.ts'
import { absoluteConfigFile, loadConfig } from '../../config/config.ts'
import type { Environment } from '../../config/env.ts'
import { openAdmin } from '../ask-admin.ts'
import { databaseName } from '../open-data.ts'
import type { GatewayOptions, Printed } from '../command.ts'
import { CommandError, reasonOf } from '../command-error.ts'
import type { ImportedAccounts } from './imported-accounts.ts'
import { importLitellmAccounts, litellmTables } from './litellm-accounts.ts'
import { importLitellmConfig, type ImportedSettings } from './litellm-config.ts'
import { importNewApiAccounts, newApiTables } from './new-api-accounts.ts'
import { importChannels } from './new-api-channels.ts'
import { type FieldReport, formatReport } from './report.ts'
import { readTables } from './source-tables.ts'

export interface ImportOptions extends GatewayOptions {
  readonly database?: string
  readonly export?: readonly string[]
  readonly output?: string
  readonly force?: boolean
  readonly dryRun?: boolean
}

/** Keys and accounts of one request: the values of its body stay far below `server.bodyLimitValues`. */
const perRequestMax = 1_500

/** What is imported, and what became of each field of the source. */
interface Imported {
  readonly source: string
  readonly settings?: string | undefined
  readonly accounts?: ImportedAccounts | undefined
  readonly report: readonly FieldReport[]
}

/**
 * Imports the settings file of LiteLLM's proxy, and the keys and accounts of its database.
 *
 * @throws CommandError if something cannot be read or written; nothing has been changed then, or the message says what.
 */
export async function importLitellmCommand(
  environment: Environment,
  file: string | undefined,
  options: ImportOptions,
): Promise<Printed> {
  const { database, export: exported } = options
  const isData = database !== undefined || exported !== undefined
  if (file === undefined && !isData)
    throw new CommandError('Name the settings file, or give --database or --export')
  const settings =
    file === undefined ? undefined : importLitellmConfig(textOf(file), basename(file))
  const names = {
    accessGroups: settings?.accessGroups ?? new Map(),
    masterKey: masterKeyIn(environment, settings?.masterKey),
  }
  const tables = await readTables(litellmTables, { database, exported })
  const accounts = isData ? importLitellmAccounts(tables, { now: Date.now(), names }) : undefined
  return finish(environment, options, {
    source: 'litellm',
    settings: settings?.yaml,
    accounts,
    report: [...(settings?.report ?? []), ...(accounts?.report ?? [])],
  })
}

/**
 * Imports the channels, users and tokens of new-api's database or of files with its tables.
 *
 * @throws CommandError as `importLitellmCommand`.
 */
export async function importNewApiCommand(
  environment: Environment,
  options: ImportOptions,
): Promise<Printed> {
  const { database, export: exported } = options
  if (database === undefined && exported === undefined)
    throw new CommandError('Give --database or --export: new-api keeps everything in its database')
  const tables = await readTables(newApiTables, { database, exported })
  const channels: (ImportedSettings & ReturnType<typeof importChannels>) | undefined = tables.has(
    'channels',
  )
    ? importChannels(tables, 'the channels of new-api')
    : undefined
  const found = importNewApiAccounts(tables, {
    now: Date.now(),
    channels: channels?.channels ?? [],
  })
  return finish(environment, options, {
    source: 'new-api',
    settings: channels?.yaml,
    accounts: tables.has('users') || tables.has('tokens') ? found : undefined,
    report: [...(channels?.report ?? []), ...found.report],
  })
}

/** The key that administers LiteLLM: in its file, or in the variable that the file names or LiteLLM reads. */
function masterKeyIn({ variables }: Environment, written: string | undefined): string | undefined {
  const [, name = 'LITELLM_MASTER_KEY'] = /^os\.environ\/(\w+)$/.exec(written ?? '') ?? []
  return written === undefined || written.startsWith('os.environ/') ? variables[name] : written
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw CommandError.because(`${file} cannot be read`, cause)
  }
}

async function finish(
  environment: Environment,
  options: ImportOptions,
  imported: Imported,
): Promise<Printed> {
  const { json = false, dryRun = false, output } = options
  if (imported.accounts && options.url === undefined) await assertOwnDatabase(environment, options)
  const { settings, accounts, report } = imported
  const isPrinted = output === '-'
  const file = isPrinted || settings === undefined ? undefined : outputOf(environment, output)
  if (file !== undefined && existsSync(file) && options.force !== true && !dryRun)
    throw new CommandError(
      `${file} exists: name another file with --output, or replace it with --force`,
    )
  // What is written takes the place of the file, and a device must keep its own.
  if (file !== undefined && existsSync(file) && !statSync(file).isFile())
    throw new CommandError(
      `${file} is no file that can be replaced: --output - prints the settings`,
    )
  const done = dryRun ? undefined : await write(environment, options, { ...imported, file })
  if (json) {
    const found = accounts && { accounts: accounts.accounts.length, keys: accounts.keys.length }
    const shown = dryRun || isPrinted ? { settings } : {}
    return {
      text: JSON.stringify(
        { dryRun, file: file ?? null, ...shown, found, ...done, report },
        null,
        2,
      ),
    }
  }
  const summary = [
    ...(file === undefined ? [] : [dryRun ? `${file} would be written.` : `${file} is written.`]),
    ...(accounts ? [accountsLine(accounts, done)] : []),
  ]
  const lines = [...summary, '', formatReport(report)].join('\n').trim()
  return isPrinted && settings !== undefined ? { text: settings, notes: [lines] } : { text: lines }
}

/**
 * Both programs read DATABASE_URL.
 *
 * @throws CommandError if Sluice would keep its own tables among those of the other program.
 */
async function assertOwnDatabase(
  environment: Environment,
  { database = '' }: ImportOptions,
): Promise<void> {
  const { url = '' } = (await loadConfig(environment)).storage
  if (!URL.canParse(url) || !URL.canParse(database)) return
  const [own, theirs] = [new URL(url), new URL(database)]
  const isSame = own.host === theirs.host && own.pathname === theirs.pathname
  if (isSame && own.searchParams.get('options')?.includes('search_path') !== true)
    throw new CommandError(
      `Sluice would keep its tables in the database that is imported (${databaseName(url)}): unset DATABASE_URL, or give Sluice another`,
    )
}

function outputOf(environment: Environment, output: string | undefined): string {
  return output === undefined ? absoluteConfigFile(environment) : resolve(output)
}

interface Done {
  readonly added: readonly string[]
  readonly present: readonly string[]
}

function accountsLine({ accounts, keys }: ImportedAccounts, done: Done | undefined): string {
  const counted = [
    ...(['organization', 'team', 'user'] as const).map(
      (kind) => [accounts.filter((one) => one.kind === kind).length, kind] as const,
    ),
    [keys.length, 'key'] as const,
  ]
  const found = counted
    .map(([count, kind]) => `${count} ${kind}${count === 1 ? '' : 's'}`)
    .join(', ')
  if (!done) return `${found} would be added, as far as they are not here.`
  return `Found ${found}. ${done.added.length} added; ${done.present.length} were here before and are as they were.`
}

/** Writes the file last, and only if everything else was done. */
async function write(
  environment: Environment,
  { url }: ImportOptions,
  { source, settings, accounts, file }: Imported & { readonly file: string | undefined },
): Promise<Done | undefined> {
  const draft = `${file}.${process.pid}`
  try {
    // Its secrets are for the owner only.
    if (file !== undefined && settings !== undefined)
      writeFileSync(draft, settings, { flag: 'wx', mode: 0o600 })
  } catch (cause) {
    throw CommandError.because(`${file} cannot be written, and nothing was imported`, cause)
  }
  try {
    const done = accounts && (await send(environment, url, { source, accounts }))
    if (file !== undefined) renameSync(draft, file)
    return done
  } finally {
    if (file !== undefined) rmSync(draft, { force: true })
  }
}

async function send(
  environment: Environment,
  url: string | undefined,
  {
    source,
    accounts: { accounts, keys },
  }: { readonly source: string; readonly accounts: ImportedAccounts },
): Promise<Done> {
  await using admin = await openAdmin(environment, { ...(url !== undefined && { url }) })
  const parts = [
    ...partsOf(accounts).map((part) => ({ accounts: part, keys: [] })),
    ...partsOf(keys).map((part) => ({ accounts: [], keys: part })),
  ]
  // Nearly always one request, so that all or none is added.
  const [first, ...more] =
    parts.length === 2 && accounts.length + keys.length <= perRequestMax
      ? [{ accounts, keys }]
      : parts
  const done: { added: string[]; present: string[] } = { added: [], present: [] }
  for (const part of first ? [first, ...more] : [])
    try {
      const { added, present } = await admin.ask(importAccounts, { body: { source, ...part } })
      done.added.push(...added)
      done.present.push(...present)
    } catch (cause) {
      const state =
        done.added.length === 0
          ? 'Nothing was imported'
          : `${done.added.length} of ${accounts.length + keys.length} accounts and keys were imported; run it again for the rest`
      throw new CommandError(`${state}: ${reasonOf(cause)}`, { cause })
    }
  return done
}

function partsOf<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / perRequestMax) }, (_, part) =>
    items.slice(part * perRequestMax, (part + 1) * perRequestMax),
  )
}
