import { setTimeout as wait } from 'node:timers/promises'
import type { Command } from 'commander'
import { readEnvironment } from '../config/env.ts'
import { requestFilters, requestsCommand, type RequestsOptions, topCommand } from './requests.ts'
import { type ContentsOptions, eraseContents, exportContents } from './contents.ts'
import { positive } from './terms-options.ts'

/** Refresh interval of a table on a terminal, in milliseconds. */
const drawEveryMs = 2_000
const clear = '\u001b[2J\u001b[H'

/** Commands that show the calls of a running gateway. */
export function addRequestCommands(program: Command, print: (text: string) => void): void {
  const requests = program
    .command('requests')
    .description('list the newest requests, or follow them as they end')
    .option('--follow', 'run until interrupted')
    .option('--limit <number>', 'maximum number of requests; default 50', positive)
    .option('--url <url>', 'the URL of the gateway; default: from the settings')
    .option('--json', 'print JSON; with --follow, one line per request')
  for (const [name, meaning] of Object.entries(requestFilters)) {
    const words = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    requests.option(`--${words} <value>`, meaning)
  }
  requests.action(async (options: RequestsOptions) => {
    const stopping = new AbortController()
    process.once('SIGINT', () => stopping.abort())
    const { signal } = stopping
    print(await requestsCommand(readEnvironment(), options, { print, signal }))
  })
  addContentCommands(program, print)
  program
    .command('top')
    .description('show usage of the last hour by model; on a terminal until interrupted')
    .option('--url <url>', 'the URL of the gateway; default: from the settings')
    .option('--json', 'print JSON, once')
    .action(async (options: { readonly url?: string; readonly json?: boolean }) => {
      const table = () => topCommand(readEnvironment(), options, Date.now())
      if (options.json === true || !process.stdout.isTTY) return print(await table())
      for (;;) {
        const shown = await table()
        process.stdout.write(clear)
        print(shown)
        await wait(drawEveryMs)
      }
    })
}

function addContentCommands(program: Command, print: (text: string) => void): void {
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
    .option('--to <time>', 'the end, exclusive; default now')
    .option('--url <url>', 'the URL of the gateway; default: from the settings')
    .action((options: ContentsOptions) => exportContents(readEnvironment(), options, print))
  contents
    .command('erase')
    .description('erase those of a user or a key; their usage is kept')
    .option('--user <id>', 'the user')
    .option('--key <id>', 'the key')
    .option('--url <url>', 'the URL of the gateway; default: from the settings')
    .option('--json', 'print JSON')
    .action(async (options: ContentsOptions) => {
      print(await eraseContents(readEnvironment(), options))
    })
}
