import { Command, CommanderError, InvalidArgumentError } from 'commander'
import { type Config, workersIn, workersText } from '../config/config.ts'
import { readEnvironment, setEnvironment } from '../config/env.ts'
import { publishedSchema } from '../config/schema.ts'
import { programVersion } from '@sluice/gateway/settings/version.ts'
import { createOpenApi } from '@sluice/server/openapi.ts'
import { addresses } from '@sluice/server/routes.ts'
import { addAdminCommands } from './account-commands.ts'
import { benchCommand } from './bench.ts'
import { type CheckOptions, check } from './check.ts'
import { addCompletionCommand } from './completion.ts'
import { type Act, json, type JsonOption, positive, url } from './command.ts'
import { explain } from './explain.ts'
import { addImportCommands } from './import/import-commands.ts'
import { listModels } from './models.ts'
import { printableLines } from './printable.ts'
import { serve, type ServeOptions } from './serve.ts'
import { addSettingCommands } from './setting-commands.ts'
import { addUsageCommands } from './usage-commands.ts'

/** Parses and runs all commands; those that need the YAML reader load it when they run. Returns the exit code. */
export async function runProgram(args: readonly string[]): Promise<number> {
  let exitCode = 0
  endWithReader()
  const program = createProgram(
    (text) => {
      const shown = process.stdout.isTTY ? printableLines(text) : text
      process.stdout.write(shown.endsWith('\n') ? shown : `${shown}\n`)
    },
    (code) => {
      exitCode = code
    },
  )
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    throw error
  }
  return exitCode
}

/** The reader of a pipe may stop reading (`sluice requests --follow | head`), which is not a failure. */
function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit()
  })
}

/** All commands with their options. The documentation page of commands is generated from them. */
export function createProgram(
  print: (text: string) => void,
  ended: (exitCode: number) => void,
): Command {
  const act: Act =
    (run) =>
    async (...given) => {
      const result = await run(readEnvironment(), ...given)
      if (result === undefined) return
      if (typeof result === 'string') return print(result)
      const { text, notes = [], isFine = true } = result
      print(text)
      for (const note of notes) process.stderr.write(`${note}\n`)
      if (!isFine) ended(1)
    }
  const program = new Command('sluice')
    .description('A self-hosted model gateway. Settings: environment variables and sluice.yaml.')
    .version(programVersion())
    .exitOverride()
  program
    .command('serve')
    .description('start the gateway (the default without a command)')
    .option(
      '--workers <number>',
      'processes that serve the port; auto: one per core; default: the setting, or 1',
      workersOption,
    )
    .option('--host <host>', 'the address to listen on; default: the setting, or 127.0.0.1')
    .option('--port <number>', 'the port to listen on; default: the setting, or 8080')
    .option('--config <file>', 'the settings file; default: sluice.yaml if there is one')
    .option('--data <folder>', 'the data folder; default: data')
    .action(
      act(async (_environment, { workers, ...given }: ServeArguments) => {
        setEnvironment({
          'server.host': given.host,
          'server.port': given.port,
          configFile: given.config,
          dataFolder: given.data,
        })
        ended(await serve(workers === undefined ? {} : { workers }))
      }),
    )
  program
    .command('version')
    .description('print the version')
    .option(...json)
    .action(
      act((_environment, options: JsonOption) =>
        options.json === true ? JSON.stringify({ version: programVersion() }) : programVersion(),
      ),
    )
  addAdminCommands(program, act, print)
  addSettingCommands(program, act)
  addImportCommands(program, act)
  addConfigCommands(program, act)
  addCompletionCommand(program, act)
  addLookCommands(program, act)
  addGatewayCommands(program, act)
  addUsageCommands(program, act, print)
  return program
}

interface ServeArguments extends ServeOptions {
  readonly host?: string
  readonly port?: string
  readonly config?: string
  readonly data?: string
}

function workersOption(text: string): Config['server']['workers'] {
  const count = workersIn(text)
  if (count === undefined) throw new InvalidArgumentError(workersText(text))
  return count
}

/** Commands that inspect the configuration and this machine. */
function addLookCommands(program: Command, act: Act): void {
  program
    .command('models')
    .description('list all models that can be called')
    .option(...json)
    .action(act(listModels))
  program
    .command('check')
    .description('check the settings and show what is configured')
    .option('--live', 'send a request to every provider with each of its keys')
    .option('--timeout <seconds>', 'with --live: timeout for each provider; default 10', positive)
    .option(...json)
    .action(
      act((environment, { timeout, ...options }: CheckOptions & { timeout?: number }) => {
        const waiting = timeout === undefined ? {} : { timeoutMs: timeout * 1000 }
        return check(environment, { ...options, ...waiting })
      }),
    )
  program
    .command('doctor')
    .description('look at everything that a gateway with these settings needs')
    .option(...json)
    .action(
      act(async (environment, options: JsonOption) => {
        const { doctorCommand } = await import('./doctor.ts')
        return doctorCommand(environment, options)
      }),
    )
  program
    .command('init')
    .description('write a settings file with examples')
    .option(...json)
    .action(
      act(async (environment, options: JsonOption) => {
        const { initCommand } = await import('./init.ts')
        return initCommand(environment, options)
      }),
    )
  program
    .command('openapi')
    .description('print the OpenAPI document')
    .action(act(() => JSON.stringify(createOpenApi(addresses), null, 2)))
  program
    .command('backup')
    .description('copy the SQLite database to a new file, also while a gateway uses it')
    .argument('<file>', 'the file to write; it must not exist')
    .option(...json)
    .action(
      act(async (environment, file: string, options: JsonOption) => {
        const { backupCommand } = await import('./backup.ts')
        return backupCommand(environment, file, options)
      }),
    )
  program
    .command('discover')
    .description('find model servers on this machine')
    .option('--write', 'add what was found to the settings file')
    .option(...json)
    .action(
      act(async (environment, options: JsonOption & { readonly write?: boolean }) => {
        const { discover } = await import('./discover.ts')
        return discover(environment, options)
      }),
    )
}

/** Commands that need a running gateway. */
function addGatewayCommands(program: Command, act: Act): void {
  program
    .command('explain')
    .description('ask a running gateway how it would route a request')
    .argument('<file>', 'a JSON request, or - for standard input')
    .option('--path <path>', 'the path of the request', '/v1/chat/completions')
    .option('--json', 'print JSON (always the case)')
    .option(...url)
    .action(act(explain))
  program
    .command('bench')
    .description('measure the performance of a running gateway with chat requests')
    .requiredOption('--model <name>', 'the model')
    .option(...url)
    .option('--key <key>', 'an API key; default: from the settings or the first start')
    .option(
      '--requests <number>',
      'total number of requests; default 100, or as many as --duration allows',
      positive,
    )
    .option('--duration <seconds>', 'time limit in seconds; default 60', positive)
    .option('--concurrency <number>', 'concurrent requests; default 8', positive)
    .option('--stream', 'stream the responses')
    .option('--words <number>', 'length of the prompt in words; default 300', positive)
    .option('--max-tokens <number>', 'maximum number of output tokens; default 64', positive)
    .option(...json)
    .action(act(benchCommand))
}

function addConfigCommands(program: Command, act: Act): void {
  const config = program.command('config').description('edit sluice.yaml')
  const path = ['<path>', 'a path such as server.port or models["gpt-5.5"]'] as const
  config
    .command('set')
    .description('set one value; comments are kept')
    .argument(...path)
    .argument('<value>', 'a YAML value, such as 9000 or acme/small')
    .option(...json)
    .action(
      act(async (environment, at: string, value: string, options: JsonOption) => {
        const { changeConfig } = await import('./change-config.ts')
        return changeConfig(environment, at, { value, ...options })
      }),
    )
  config
    .command('unset')
    .description('remove one value')
    .argument(...path)
    .option(...json)
    .action(
      act(async (environment, at: string, options: JsonOption) => {
        const { changeConfig } = await import('./change-config.ts')
        return changeConfig(environment, at, options)
      }),
    )
  config
    .command('schema')
    .description('print the JSON Schema of sluice.yaml')
    .action(act(publishedSchema))
}
