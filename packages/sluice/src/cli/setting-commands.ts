import type { Command } from 'commander'
import { type Act, type GatewayOptions, json, url } from './command.ts'
import type { SetProviderOptions } from './providers.ts'
import type { SetRouteOptions } from './routes.ts'

// Loaded when they run, because they need the YAML reader.
const providers = () => import('./providers.ts')
const routes = () => import('./routes.ts')

const keyFile = ['--key-file <file>', 'the file with the API key, or - for standard input'] as const
const dryRun = ['--dry-run', 'show what would change without changing it'] as const
const provider = ['<name>', 'the name of the provider'] as const

/** Commands for providers and routes that are kept in the database of a running gateway. */
export function addSettingCommands(program: Command, act: Act): void {
  addProviderCommands(
    program
      .command('providers')
      .description('add, change, test and remove providers of a running gateway'),
    act,
  )
  addRouteCommands(
    program.command('routes').description('add, change and remove routes of a running gateway'),
    act,
  )
}

function addProviderCommands(commands: Command, act: Act): void {
  commands
    .command('list')
    .description('list the providers, whether each is on, and where it is declared')
    .option(...url)
    .option(...json)
    .action(
      act(async (environment, options: GatewayOptions) =>
        (await providers()).listProvidersCommand(environment, options),
      ),
    )
  commands
    .command('set')
    .description('add a provider, or change one; what is not named stays as it is')
    .argument(...provider)
    .option('--kind <provider>', 'the provider of the catalog, if the name does not say it')
    .option('--type <protocol>', 'the protocol of a server that is not in the catalog')
    .option('--base-url <url>', 'the base URL')
    .option(...keyFile)
    .option(
      '--set <field=value>',
      'a field of the provider in sluice.yaml, with a YAML value; null removes it; may be repeated',
      (field: string, known: readonly string[] | undefined) => [...(known ?? []), field],
    )
    .option(...dryRun)
    .option(...url)
    .option(...json)
    .action(
      act(async (environment, name: string, options: SetProviderOptions) =>
        (await providers()).setProviderCommand(environment, name, options),
      ),
    )
  commands
    .command('test')
    .description('send a small chat request to a provider, which is recorded and charged')
    .argument(...provider)
    .option('--model <model>', 'the model, as the provider calls it; default: the first known')
    .option(...url)
    .option(...json)
    .action(
      act(async (environment, name: string, options: GatewayOptions & { model?: string }) =>
        (await providers()).testProviderCommand(environment, name, options),
      ),
    )
  commands
    .command('remove')
    .description('remove a provider')
    .argument(...provider)
    .option(...url)
    .option(...json)
    .action(
      act(async (environment, name: string, options: GatewayOptions) =>
        (await providers()).removeProviderCommand(environment, name, options),
      ),
    )
  addProviderKeyCommands(commands, act)
}

function addProviderKeyCommands(commands: Command, act: Act): void {
  commands
    .command('rotate')
    .description('replace the API key of a provider')
    .argument(...provider)
    .requiredOption(...keyFile)
    .option(...url)
    .option(...json)
    .action(
      act(async (environment, name: string, options: GatewayOptions & { keyFile: string }) =>
        (await providers()).rotateProviderKeyCommand(environment, name, options),
      ),
    )
  commands
    .command('reseal')
    .description('encrypt all providers with the first key of SLUICE_ENCRYPTION_KEY')
    .option(...url)
    .option(...json)
    .action(
      act(async (environment, options: GatewayOptions) =>
        (await providers()).resealProvidersCommand(environment, options),
      ),
    )
}

function addRouteCommands(commands: Command, act: Act): void {
  commands
    .command('list')
    .description('list the routes, and where each is declared')
    .option(...url)
    .option(...json)
    .action(
      act(async (environment, options: GatewayOptions) =>
        (await routes()).listRoutesCommand(environment, options),
      ),
    )
  commands
    .command('set')
    .description('add or change a route')
    .argument('<name>', 'what callers send as the model')
    .argument('<route>', 'YAML: provider/model, or {targets: [provider/model, …]}')
    .option(...dryRun)
    .option(...url)
    .option(...json)
    .action(
      act(async (environment, name: string, value: string, options: SetRouteOptions) =>
        (await routes()).setRouteCommand(environment, { name, value, options }),
      ),
    )
  commands
    .command('remove')
    .description('remove a route')
    .argument('<name>', 'the name of the route')
    .option(...dryRun)
    .option(...url)
    .option(...json)
    .action(
      act(async (environment, name: string, options: SetRouteOptions) =>
        (await routes()).removeRouteCommand(environment, { name, options }),
      ),
    )
}
