import type { Command } from 'commander'
import { readEnvironment } from '../config/env.ts'
import { showPrices, type UnknownOptions, unknownPrices, updatePrices } from './prices.ts'
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
    .description('show what was used and what it cost')
    .option(
      '--by <names>',
      'one or two of hour, day, month, key, user, team, organization, provider, model, operation, tag, outcome; default model',
    )
    .option('--from <time>', 'a day, or a time in UTC to the hour; default 30 days ago')
    .option('--to <time>', 'the end, which does not count; default now')
    .option('--url <url>', 'the URL of the gateway; default: that of the settings')
    .option('--json', 'print JSON')
    .option('--csv', 'print CSV')
    .action(async (options: UsageOptions) => {
      print(await usageCommand(readEnvironment(), options))
    })
  usage
    .command('erase')
    .description('replace a user or a key in all records and sums by an id that says nothing')
    .option('--user <id>', 'the user, with the ids of the user’s keys')
    .option('--key <id>', 'the key')
    .option('--url <url>', 'the URL of the gateway; default: that of the settings')
    .option('--json', 'print JSON')
    .action(async (_options: object, command: Command) => {
      print(await eraseUsage(readEnvironment(), command.optsWithGlobals()))
    })
  usage
    .command('rebuild')
    .description('make the sums of usage anew from the records that are there')
    .option('--wait', 'wait until they are made')
    .option('--url <url>', 'the URL of the gateway; default: that of the settings')
    .option('--json', 'print JSON')
    .action(async (_options: object, command: Command) => {
      print(await rebuildUsage(readEnvironment(), command.optsWithGlobals()))
    })
  addPriceCommands(program, { print, finish })
  program
    .command('reconcile')
    .description('list where the bill of a provider and the ledger differ, by day and model')
    .argument('<file>', 'a CSV export of OpenAI’s usage page or of Anthropic’s Console')
    .option('--provider <name>', 'the provider in the ledger; default openai or anthropic')
    .option('--url <url>', 'the URL of the gateway; default: that of the settings')
    .option('--json', 'print JSON')
    .action(async (file: string, options: ReconcileOptions) => {
      finish(await reconcile(readEnvironment(), file, options))
    })
}

function addPriceCommands(program: Command, { print, finish }: Printing): void {
  const prices = program.command('prices').description('show, check and fetch what models cost')
  prices
    .command('show')
    .description('show what a model costs, or every price that is not the library’s')
    .argument('[model]', 'provider/model, or a model at any provider')
    .option('--json', 'print JSON')
    .action(async (model: string | undefined, options: { json?: boolean }) => {
      finish(await showPrices(readEnvironment(), model, options))
    })
  prices
    .command('unknown')
    .description('list what was called without a known price; exit code 1 where there is any')
    .option('--from <time>', 'a day, or a time in UTC to the hour; default 30 days ago')
    .option('--to <time>', 'the end, which does not count; default now')
    .option('--url <url>', 'the URL of the gateway; default: that of the settings')
    .option('--json', 'print JSON')
    .action(async (options: UnknownOptions) => {
      finish(await unknownPrices(readEnvironment(), options))
    })
  prices
    .command('update')
    .description('fetch the newest prices of the library into the data folder')
    .option('--from <address>', 'another address, or a file')
    .option('--json', 'print JSON')
    .action(async (options: { from?: string; json?: boolean }) => {
      print(await updatePrices(readEnvironment(), options))
    })
}
