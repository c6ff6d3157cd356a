import type { Command } from 'commander'
import { readEnvironment } from '../config/env.ts'
import { type ReconcileOptions, reconcile } from './reconcile.ts'
import { type UsageOptions, usageCommand } from './usage.ts'

interface Printing {
  readonly print: (text: string) => void
  readonly finish: (checked: { readonly text: string; readonly isFine: boolean }) => void
}

/** What was used, of a gateway that is running. */
export function addUsageCommands(program: Command, { print, finish }: Printing): void {
  program
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
