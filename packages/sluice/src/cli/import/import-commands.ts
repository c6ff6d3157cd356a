import type { Command } from 'commander'
import { type Act, json, url } from '../command.ts'
import type { ImportOptions } from './import.ts'

/** Commands that bring in the settings, keys and accounts of another gateway. */
export function addImportCommands(program: Command, act: Act): void {
  const commands = program
    .command('import')
    .description('import the settings, keys, teams and budgets of another gateway')
  withOptions(
    commands
      .command('litellm')
      .description('import the settings file of a LiteLLM proxy, and the keys of its database')
      .argument('[file]', 'the settings file, config.yaml'),
  ).action(
    act(async (environment, file: string | undefined, options: ImportOptions) => {
      const { importLitellmCommand } = await import('./import.ts')
      return importLitellmCommand(environment, file, options)
    }),
  )
  withOptions(
    commands.command('new-api').description('import the channels, users and tokens of new-api'),
  ).action(
    act(async (environment, options: ImportOptions) => {
      const { importNewApiCommand } = await import('./import.ts')
      return importNewApiCommand(environment, options)
    }),
  )
}

function withOptions(command: Command): Command {
  return command
    .option('--database <url>', 'its database: a URL of PostgreSQL or a file of SQLite')
    .option(
      '--export <file>',
      'tables of its database as JSON or CSV; may be repeated',
      (file: string, known: readonly string[] | undefined) => [...(known ?? []), file],
    )
    .option('--output <file>', 'the settings file to write, or - to print it; default: sluice.yaml')
    .option('--force', 'replace the settings file if there is one')
    .option('--dry-run', 'show what would be imported without changing anything')
    .option(...url)
    .option(...json)
}
