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
    .option('--follow', 'go on until it is interrupted')
    .option('--limit <number>', 'how many; default 50', positive)
    .option('--url <url>', 'the URL of the gateway; default: that of the settings')
    .option('--json', 'print JSON; with --follow a line for each request')
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
    .description(
      'show what the last hour has used, by model; on a terminal until it is interrupted',
    )
    .option('--url <url>', 'the URL of the gateway; default: that of the settings')
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
    .description('export or erase prompts and answers that are kept')
  contents
    .command('export')
    .description('print them, a line of JSON for each call; the audit log says so')
    .option('--user <id>', 'only of this user')
    .option('--key <id>', 'only of this key')
    .option('--team <id>', 'only of this team')
    .option('--from <time>', 'a day, or a time in UTC to the hour; default all that is kept')
    .option('--to <time>', 'the end, which does not count; default now')
    .option('--url <url>', 'the URL of the gateway; default: that of the settings')
    .action((options: ContentsOptions) => exportContents(readEnvironment(), options, print))
  contents
    .command('erase')
    .description('remove those of a user or a key; what they used stays')
    .option('--user <id>', 'the user')
    .option('--key <id>', 'the key')
    .option('--url <url>', 'the URL of the gateway; default: that of the settings')
    .option('--json', 'print JSON')
    .action(async (options: ContentsOptions) => {
      print(await eraseContents(readEnvironment(), options))
    })
}
