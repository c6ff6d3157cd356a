import { createProgram } from '../../packages/sluice/src/cli/program.ts'

type Command = ReturnType<typeof createProgram>
type Argument = Command['registeredArguments'][number]
type Option = Command['options'][number]

/** Every command of the program with its arguments and options, as the program itself describes them. */
export function commandsPage(): readonly string[] {
  const program = createProgram(
    () => {},
    () => {},
  )
  return [
    '# Commands',
    '',
    `${program.description()} Without a command it is \`sluice serve\`.`,
    '',
    'A command that succeeds exits with code 0. Problems and refused operations exit with code 1 and a message on standard error; an invalid command line exits with 2. Results are written to standard output, everything else to standard error. `sluice <command> --help` shows the same text as this page.',
    '',
    'Administrative commands use the running gateway with the same settings (`SLUICE_HOST`, `SLUICE_PORT`, `SLUICE_ADMIN_KEY` or the data folder). If none responds, they use its stored data. Commands that show the activity of a gateway need a running one.',
    '',
    ...program.commands.flatMap((command) => sectionOf(command, '##', 'sluice')),
  ]
}

function sectionOf(command: Command, level: string, above: string): readonly string[] {
  const path = `${above} ${command.name()}`
  const { registeredArguments: args, options, commands } = command
  return [
    `${level} ${path}`,
    '',
    `${sentence(command.description())}`,
    '',
    ...(args.length + options.length === 0 ? [] : table(args, options)),
    ...commands.flatMap((one) => sectionOf(one, `${level}#`, path)),
  ]
}

function table(args: readonly Argument[], options: readonly Option[]): readonly string[] {
  const rows = [
    ...args.map((one) => [
      `${one.required ? '' : '['}${one.name()}${one.required ? '' : ']'}`,
      one.description,
    ]),
    ...options.map((one) => [`${one.flags}${one.mandatory ? ' (required)' : ''}`, meaningOf(one)]),
  ]
  const lines = rows.map(([name, meaning]) => `¦ \`${name}\` ¦ ${meaning} ¦`)
  return ['¦ option ¦ meaning ¦', '¦---¦---¦', ...lines, '']
}

function meaningOf({ description, argChoices, defaultValue }: Option): string {
  const choices = argChoices ? `: ${argChoices.join(', ')}` : ''
  const usual = typeof defaultValue === 'string' ? `; default ${defaultValue}` : ''
  return `${description}${choices}${usual}`
}

function sentence(text: string): string {
  return `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}.`
}
