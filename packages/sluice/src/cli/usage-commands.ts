import type { Command } from 'commander'
import { readEnvironment } from '../config/env.ts'
import { checkPrices } from './check-prices.ts'
import { showPrices, type UnknownOptions, unknownPrices } from './prices.ts'
import { type UpdateOptions, updatePrices } from './update-prices.ts'
import { type ReconcileOptions, reconcile } from './reconcile.ts'
import { eraseUsage, rebuildUsage, type UsageOptions, usageCommand } from './usage.ts'

interface Printing {
  readonly print: (text: string) => void
  readonly finish: (checked: { readonly text: string; readonly isFine: boolean }) => void
}

/** Commands that show the usage of a running gateway. */
export function addUsageCommands(program: Command, { print, finish }: Printing): void {
  const usage = program
    .command('usage')
    .description('show usage and cost')
    .option(
      '--by <names>',
      'one or two of hour, day, month, key, user, team, organization, provider, model, operation, tag, outcome; default model',
    )
    .option('--from <time>', 'the start, a day or an hour in UTC; default 30 days ago')
    .option('--to <time>', 'the end, exclusive; default now')
    .option('--url <url>', 'the URL of the gateway; default: from the settings')
    .option('--json', 'print JSON')
    .option('--csv', 'print CSV')
    .action(async (options: UsageOptions) => {
      print(await usageCommand(readEnvironment(), options))
    })
  usage
    .command('erase')
    .description('replace a user or key in all records and sums with an anonymous id')
    .option('--user <id>', 'the user, including the ids of their keys')
    .option('--key <id>', 'the key')
    .option('--url <url>', 'the URL of the gateway; default: from the settings')
    .option('--json', 'print JSON')
    .action(async (_options: object, command: Command) => {
      print(await eraseUsage(readEnvironment(), command.optsWithGlobals()))
    })
  usage
    .command('rebuild')
    .description('rebuild the sums of usage from the existing records')
    .option('--wait', 'wait until they are complete')
    .option('--url <url>', 'the URL of the gateway; default: from the settings')
    .option('--json', 'print JSON')
    .action(async (_options: object, command: Command) => {
      print(await rebuildUsage(readEnvironment(), command.optsWithGlobals()))
    })
  addPriceCommands(program, { print, finish })
  program
    .command('reconcile')
    .description('list differences between a provider’s bill and the ledger, by day and model')
    .argument('<file>', 'a CSV export from OpenAI’s usage page or Anthropic’s Console')
    .option('--provider <name>', 'the provider in the ledger; default openai or anthropic')
    .option('--url <url>', 'the URL of the gateway; default: from the settings')
    .option('--json', 'print JSON')
    .action(async (file: string, options: ReconcileOptions) => {
      finish(await reconcile(readEnvironment(), file, options))
    })
}

function addPriceCommands(program: Command, { print, finish }: Printing): void {
  const prices = program.command('prices').description('show, check and fetch model prices')
  prices
    .command('show')
    .description('show the price of a model, or every price that differs from the library')
    .argument('[model]', 'provider/model, or a model at any provider')
    .option('--json', 'print JSON')
    .action(async (model: string | undefined, options: { json?: boolean }) => {
      finish(await showPrices(readEnvironment(), model, options))
    })
  prices
    .command('unknown')
    .description('list models used without a known price; exit code 1 if there are any')
    .option('--from <time>', 'the start, a day or an hour in UTC; default 30 days ago')
    .option('--to <time>', 'the end, exclusive; default now')
    .option('--url <url>', 'the URL of the gateway; default: from the settings')
    .option('--json', 'print JSON')
    .action(async (options: UnknownOptions) => {
      finish(await unknownPrices(readEnvironment(), options))
    })
  prices
    .command('check')
    .description(
      'list configured targets whose price is unknown or another model’s; exit code 1 if there are any',
    )
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      finish(await checkPrices(readEnvironment(), options))
    })
  prices
    .command('update')
    .description('fetch the latest library prices, or a provider’s own list, into the data folder')
    .option('--from <address>', 'a URL, a file, or a provider with prices in its list of models')
    .option('--provider <id>', 'whose list it is; default: the provider at this address')
    .option('--json', 'print JSON')
    .action(async (options: Omit<UpdateOptions, 'screen'>) => {
      print(await updatePrices(readEnvironment(), options))
    })
}
