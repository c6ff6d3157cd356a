import { setTimeout as wait } from 'node:timers/promises'
import type { Command } from 'commander'
import { type Act, type GatewayOptions, json, positive, to, url } from './command.ts'
import { type ContentsOptions, eraseContents, exportContents } from './contents.ts'
import { checkPrices, showPrices, unknownPrices } from './prices.ts'
import { reconcile } from './reconcile.ts'
import {
  problemsCommand,
  requestFilters,
  requestsCommand,
  type RequestsOptions,
  topCommand,
} from './requests.ts'
import { updatePrices } from './update-prices.ts'
import { eraseUsage, rebuildUsage, usageCommand } from './usage.ts'

type Print = (text: string) => void

/** Commands that show what a running gateway has done. */
export function addUsageCommands(program: Command, act: Act, print: Print): void {
  const usage = program
    .command('usage')
    .description('show usage and cost')
    .option(
      '--by <names>',
      'one or two of hour, day, month, key, user, team, organization, provider, model, operation, tag, outcome; default model',
    )
    .option(...from30Days)
    .option(...to)
    .option(...url)
    .option(...json)
    .option('--csv', 'print CSV')
    .action(act(usageCommand))
  usage
    .command('erase')
    .description('replace a user or key in all records and sums with an anonymous id')
    .option('--user <id>', 'the user, including the ids of their keys')
    .option('--key <id>', 'the key')
    .option(...url)
    .option(...json)
    .action(
      act((environment, _options: object, command: Command) =>
        eraseUsage(environment, command.optsWithGlobals()),
      ),
    )
  usage
    .command('rebuild')
    .description('rebuild the sums of usage from the existing records')
    .option('--wait', 'wait until they are complete')
    .option(...url)
    .option(...json)
    .action(
      act((environment, _options: object, command: Command) =>
        rebuildUsage(environment, command.optsWithGlobals()),
      ),
    )
  addPriceCommands(program, act)
  program
    .command('reconcile')
    .description('list differences between a provider’s bill and the ledger, by day and model')
    .argument('<file>', 'a CSV export from OpenAI’s usage page or Anthropic’s Console')
    .option('--provider <name>', 'the provider in the ledger; default openai or anthropic')
    .option(...url)
    .option(...json)
    .action(act(reconcile))
  addRequestCommands(program, act, print)
}

const from30Days = [
  '--from <time>',
  'the start, a day or an hour in UTC; default 30 days ago',
] as const

function addPriceCommands(program: Command, act: Act): void {
  const prices = program.command('prices').description('show, check and fetch model prices')
  prices
    .command('show')
    .description('show the price of a model, or every price that differs from the library')
    .argument('[model]', 'provider/model, or a model at any provider')
    .option(...json)
    .action(act(showPrices))
  prices
    .command('unknown')
    .description('list models used without a known price; exit code 1 if there are any')
    .option(...from30Days)
    .option(...to)
    .option(...url)
    .option(...json)
    .action(act(unknownPrices))
  prices
    .command('check')
    .description(
      'list configured targets whose price is unknown or another model’s; exit code 1 if there are any',
    )
    .option(...json)
    .action(act(checkPrices))
  prices
    .command('update')
    .description('fetch the latest library prices, or a provider’s own list, into the data folder')
    .option('--from <address>', 'a URL, a file, or a provider with prices in its list of models')
    .option('--provider <id>', 'whose list it is; default: the provider at this address')
    .option(...json)
    .action(act(updatePrices))
}

/** How often the table of `top` is drawn on a terminal, in milliseconds. */
const drawEveryMs = 2_000
const clear = '\u001b[2J\u001b[H'

function addRequestCommands(program: Command, act: Act, print: Print): void {
  const requests = program
    .command('requests')
    .description('list the newest requests, or follow them as they end')
    .option('--follow', 'run until interrupted')
    .option('--limit <number>', 'maximum number of requests; default 50', positive)
    .option(...url)
    .option('--json', 'print JSON; with --follow, one line per request')
  for (const [name, meaning] of Object.entries(requestFilters)) {
    const words = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    requests.option(`--${words} <value>`, meaning)
  }
  requests.action(
    act((environment, options: RequestsOptions) => {
      const stopping = new AbortController()
      process.once('SIGINT', () => stopping.abort())
      return requestsCommand(environment, options, { print, signal: stopping.signal })
    }),
  )
  addContentCommands(program, act, print)
  program
    .command('problems')
    .description('list what is wrong with a running gateway now; fails if calls fail for it')
    .option(...url)
    .option(...json)
    .action(act((environment, options: GatewayOptions) => problemsCommand(environment, options)))
  program
    .command('top')
    .description('show usage of the last hour by model; on a terminal until interrupted')
    .option(...url)
    .option('--json', 'print JSON, once')
    .action(
      act(async (environment, options: GatewayOptions) => {
        const table = () => topCommand(environment, options, Date.now())
        if (options.json === true || !process.stdout.isTTY) return table()
        for (;;) {
          const shown = await table()
          process.stdout.write(clear)
          print(shown)
          await wait(drawEveryMs)
        }
      }),
    )
}

function addContentCommands(program: Command, act: Act, print: Print): void {
  const contents = program
    .command('contents')
    .description('export or erase stored prompts and responses')
  contents
    .command('export')
    .description('print them, one line of JSON per request; recorded in the audit log')
    .option('--user <id>', 'only of this user')
    .option('--key <id>', 'only of this key')
    .option('--team <id>', 'only of this team')
    .option('--from <time>', 'the start, a day or an hour in UTC; default all that is stored')
    .option(...to)
    .option(...url)
    .action(
      act((environment, options: ContentsOptions) => exportContents(environment, options, print)),
    )
  contents
    .command('erase')
    .description('erase those of a user or a key; their usage is kept')
    .option('--user <id>', 'the user')
    .option('--key <id>', 'the key')
    .option(...url)
    .option(...json)
    .action(act(eraseContents))
}
