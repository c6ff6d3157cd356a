import { Command, CommanderError, InvalidArgumentError } from 'commander'
import { readEnvironment } from '../config/env.ts'
import { publishedSchema } from '../config/schema.ts'
import { programVersion } from '../config/version.ts'
import { createOpenApi } from '../http/openapi.ts'
import { addresses } from '../http/routes.ts'
import { benchCommand, type BenchOptions } from './bench.ts'
import { check } from './check.ts'
import { explain } from './explain.ts'
import { createKeyCommand, listKeysCommand, revokeKeyCommand } from './keys.ts'
import { listModels } from './models.ts'
import { serve } from './serve.ts'

/** Parses and runs every command; those that need the YAML reader load it when they run. Returns the exit code. */
export async function runProgram(args: readonly string[]): Promise<number> {
  let exitCode = 0
  const print = (text: string) =>
    void process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
  const finish = ({ text, isFine }: Checked) => {
    print(text)
    exitCode = isFine ? 0 : 1
  }
  const program = new Command('sluice')
    .description('A self-hosted model gateway. Settings: environment variables and sluice.yaml.')
    .version(programVersion())
    .exitOverride()

  program
    .command('serve', { isDefault: true })
    .description('start the gateway (default)')
    .action(async () => {
      exitCode = await serve()
    })
  addKeyCommands(program, print)
  addConfigCommands(program, print)
  program
    .command('models')
    .description('list the models that the settings give')
    .option('--json', 'as JSON')
    .action(async (options: { json?: boolean }) => {
      print(await listModels(readEnvironment(), options))
    })
  program
    .command('check')
    .description('check the settings and say what is configured')
    .action(async () => {
      finish(await check(readEnvironment()))
    })
  program
    .command('openapi')
    .description('print the OpenAPI document')
    .action(() => print(JSON.stringify(createOpenApi(programVersion(), addresses), null, 2)))
  program
    .command('discover')
    .description('look for model servers on this machine')
    .option('--write', 'add what was found to the settings file')
    .action(async (options: { write?: boolean }) => {
      const { discover } = await import('./discover.ts')
      print(await discover(readEnvironment(), options))
    })
  addGatewayCommands(program, { print, finish })

  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    throw error
  }
  return exitCode
}

type Print = (text: string) => void

interface Checked {
  readonly text: string
  readonly isFine: boolean
}

interface CreateOptions {
  readonly name: string
  readonly admin?: boolean
  readonly models?: readonly string[]
  readonly rate?: number
  readonly expires?: number
}

function addKeyCommands(program: Command, print: Print): void {
  const keys = program.command('keys').description('make, list and revoke keys')
  keys
    .command('create')
    .description('make a key and print its secret, once')
    .requiredOption('--name <name>', 'what to call it')
    .option('--admin', 'a key for the administrator’s addresses')
    .option('--models <names>', 'what it may use, such as gpt-4o,acme/*', splitList)
    .option('--rate <number>', 'requests per minute', positive)
    .option('--expires <days>', 'days until it expires', positive)
    .action(async (options: CreateOptions) => {
      print(await createKeyCommand(readEnvironment(), options))
    })
  keys
    .command('list')
    .description('list all keys, without their secrets')
    .option('--json', 'as JSON')
    .action(async (options: { json?: boolean }) => {
      print(await listKeysCommand(readEnvironment(), options))
    })
  keys
    .command('revoke')
    .description('refuse a key from now on')
    .argument('<id>', 'its id, as keys list shows it')
    .action(async (id: string) => {
      print(await revokeKeyCommand(readEnvironment(), id))
    })
}

interface Printing {
  readonly print: Print
  readonly finish: (checked: Checked) => void
}

/** Commands that ask a gateway that is running. */
function addGatewayCommands(program: Command, { print, finish }: Printing): void {
  program
    .command('explain')
    .description('ask a running gateway what it would do with a request')
    .argument('<file>', 'a JSON request, or - for standard input')
    .option('--path <path>', 'the address the request is for', '/v1/chat/completions')
    .option('--url <url>', 'the gateway; default: the one the settings describe')
    .action(async (file: string, options: { path: string; url?: string }) => {
      print(await explain(readEnvironment(), file, options))
    })
  program
    .command('bench')
    .description('measure a running gateway with chat requests')
    .requiredOption('--model <name>', 'the model to ask')
    .option('--url <url>', 'the gateway; default: the one the settings describe')
    .option('--key <key>', 'an API key; default: the one the settings or the first start name')
    .option(
      '--requests <number>',
      'requests in all; default 100, or as many as --duration allows',
      positive,
    )
    .option('--duration <seconds>', 'seconds at most; default 60', positive)
    .option('--concurrency <number>', 'requests at the same time; default 8', positive)
    .option('--stream', 'ask for streams')
    .option('--words <number>', 'words of the prompt; default 300', positive)
    .option('--max-tokens <number>', 'the most tokens of an answer; default 64', positive)
    .option('--json', 'as JSON')
    .action(async (options: BenchOptions) => {
      finish(await benchCommand(readEnvironment(), options))
    })
}

function addConfigCommands(program: Command, print: Print): void {
  const config = program.command('config').description('change sluice.yaml')
  config
    .command('set')
    .description('set one value; comments stay')
    .argument('<path>', 'such as server.port or models["gpt-4.1"]')
    .argument('<value>', 'YAML, such as 9000 or acme/small')
    .action(async (path: string, value: string) => {
      const { changeConfig } = await import('./change-config.ts')
      print(changeConfig(readEnvironment(), path, { value }))
    })
  config
    .command('unset')
    .description('remove one value')
    .argument('<path>')
    .action(async (path: string) => {
      const { changeConfig } = await import('./change-config.ts')
      print(changeConfig(readEnvironment(), path, 'remove'))
    })
  config
    .command('schema')
    .description('print the JSON Schema of sluice.yaml')
    .action(() => print(publishedSchema()))
}

function splitList(text: string): readonly string[] {
  return text.split(',').map((part) => part.trim())
}

function positive(text: string): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1)
    throw new InvalidArgumentError('It must be a whole number from 1.')
  return number
}
