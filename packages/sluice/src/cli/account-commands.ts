import { type Command, Option } from 'commander'
import { type AccountKind, accountKinds } from '@sluice/gateway/ports/account.ts'
import {
  type ChangeOptions,
  type CreateAccountOptions,
  changeCommand,
  createAccountCommand,
  listAccountsCommand,
  resetBudgetsCommand,
  switchCommand,
  switchesOf,
} from './accounts.ts'
import type { ApplyOptions } from './apply/apply.ts'
import type { Kind } from './ask-admin.ts'
import { verifyAudit } from './audit.ts'
import { type Act, type GatewayOptions, json, type JsonOption, positive, url } from './command.ts'
import { createKeyCommand, listKeysCommand, rotateKeyCommand } from './keys.ts'
import { addAccountOptions, addTermsOptions, splitList } from './terms-options.ts'

type Print = (text: string) => void

/** Commands for organizations, teams, users, keys and the audit log: the `/admin/v1` API as commands. */
export function addAdminCommands(program: Command, act: Act, print: Print): void {
  addKeyCommands(program, act)
  for (const kind of accountKinds) addAccountCommands(program, kind, act)
  addFileCommands(program, act, print)
  program
    .command('budgets')
    .description('budgets of keys, users, teams and organizations')
    .command('reset')
    .description('reset budgets: earlier spending no longer counts')
    .argument(
      '<holder>',
      'the key, user, team or organization: its id, or its name if nothing else has it',
    )
    .option('--budget <id>', 'the id of one of its budgets; default: all of them')
    .option(...json)
    .action(act(resetBudgetsCommand))
  program
    .command('audit')
    .description('check the audit log')
    .command('verify')
    .description('check whether an entry of the audit log was changed or removed')
    .option(
      '--expect <hash>',
      'fail unless the log has the entry with this hash, which was printed or sent earlier',
    )
    .option(...json)
    .action(act(verifyAudit))
}

interface ApplyCommandOptions extends Omit<ApplyOptions, 'files'> {
  readonly file?: readonly string[]
  readonly schema?: boolean
}

function addFileCommands(program: Command, act: Act, print: Print): void {
  program
    .command('apply')
    .description('apply organizations, teams, users, keys and routes from a YAML file')
    .option(
      '-f, --file <file>',
      'the file, or - for standard input; may be repeated',
      // Commander passes undefined the first time.
      (file: string, known: readonly string[] | undefined) => [...(known ?? []), file],
    )
    .option('--dry-run', 'show what would change without changing it')
    .option('--yes', 'do not ask for confirmation')
    .option('--prune', 'also delete and revoke what the sections of the file do not contain')
    .option(
      '--secrets <file>',
      'write the secrets of new keys to a new file that only you can read',
    )
    .option(...url)
    .option(...json)
    .option('--schema', 'print the JSON Schema of the file')
    .action(
      act(async (environment, given: ApplyCommandOptions, command: Command) => {
        const { file, schema = false, ...options } = given
        if (schema) return (await import('./apply/file.ts')).appliedSchema()
        if (file === undefined)
          command.error('error: say which file: sluice apply -f accounts.yaml')
        const { applyCommand } = await import('./apply/apply.ts')
        return applyCommand(environment, { files: file, ...options }, print)
      }),
    )
  program
    .command('export')
    .description(
      'print organizations, teams, users, keys and routes as a file for sluice apply, without secrets',
    )
    .option(...url)
    .option('--json', 'print JSON, which apply also reads')
    .action(
      act(async (environment, options: GatewayOptions) => {
        const { exportCommand } = await import('./apply/export.ts')
        return exportCommand(environment, options)
      }),
    )
}

function addKeyCommands(program: Command, act: Act): void {
  const keys = program
    .command('keys')
    .description('create, list, change, rotate and revoke API keys')
  addTermsOptions(
    keys
      .command('create')
      .description('create an API key and print its secret, which is shown only once')
      .requiredOption('--name <name>', 'the name of the key'),
  )
    .option('--owner <id>', 'the user or team that owns the key')
    .option('--admin', 'create an administrator key, for the /admin API')
    .addOption(
      new Option('--admin-role <role>', 'the role of the administrator; default owner').choices([
        'owner',
        'operator',
        'viewer',
        'team',
      ]),
    )
    .option(...json)
    .action(act(createKeyCommand))
  keys
    .command('list')
    .description('list all keys, without their secrets')
    .option(...json)
    .action(act(listKeysCommand))
  addChange(keys, 'key', act)
  keys
    .command('rotate')
    .description('replace the secret of a key and print the new one')
    .argument('<key>', namedAs('key'))
    .option('--overlap <seconds>', 'how long the old secret remains valid; default 0', positive)
    .option(...json)
    .action(act(rotateKeyCommand))
  addSwitches(keys, 'key', act)
}

function addAccountCommands(program: Command, kind: AccountKind, act: Act): void {
  const commands = program
    .command(`${kind}s`)
    .description(`create, list, change, disable and delete ${kind}s`)
  const create = addAccountOptions(
    commands
      .command('create')
      .description(`create ${named(kind)} and print its id`)
      .requiredOption('--name <name>', `the name of the ${kind}`),
  ).option(...json)
  if (kind !== 'organization')
    create.option('--in <id>', `the ${kind === 'team' ? 'organization' : 'team or organization'}`)
  create.action(
    act((environment, options: CreateAccountOptions) =>
      createAccountCommand(environment, kind, options),
    ),
  )
  commands
    .command('list')
    .description(`list all ${kind}s`)
    .option(...json)
    .action(
      act((environment, options: JsonOption) => listAccountsCommand(environment, kind, options)),
    )
  addChange(commands, kind, act)
  addSwitches(commands, kind, act)
}

function addChange(commands: Command, kind: Kind, act: Act): void {
  const isKey = kind === 'key'
  const change = commands
    .command('change')
    .description(
      isKey
        ? 'change the name, the owner or terms of a key'
        : `change the name or the terms of ${named(kind)}`,
    )
    .argument(isKey ? '<key>' : '<name>', namedAs(kind))
  const withTerms = isKey ? addTermsOptions(change) : addAccountOptions(change)
  withTerms.option('--name <name>', 'the new name')
  if (isKey) withTerms.option('--owner <id>', 'the new owner: a user or team')
  withTerms
    .option(
      '--clear <terms>',
      `settings to remove, such as budget,models${isKey ? ',owner' : ''}`,
      splitList,
    )
    .option(...json)
    .action(
      act((environment, asked: string, options: ChangeOptions) =>
        changeCommand(environment, kind, { asked, options }),
      ),
    )
}

/** Commands that do one thing to what is named. */
function addSwitches(commands: Command, kind: Kind, act: Act): void {
  for (const what of switchesOf(kind))
    commands
      .command(what)
      .description(switchDescriptions[what] ?? `${what} ${named(kind)}`)
      .argument(kind === 'key' ? '<key>' : '<name>', namedAs(kind))
      .option(...json)
      .action(
        act((environment, asked: string, options: JsonOption) =>
          switchCommand(environment, kind, { asked, what, ...options }),
        ),
      )
}

const switchDescriptions: Readonly<Partial<Record<string, string>>> = {
  unlink: 'detach the person who signs in as a user, and end their sessions',
  revoke: 'revoke a key permanently',
}

/** With its article. */
function named(kind: Kind): string {
  return kind === 'organization' ? 'an organization' : `a ${kind}`
}

function namedAs(kind: Kind): string {
  return `its id, or its name if no other ${kind} has it`
}
