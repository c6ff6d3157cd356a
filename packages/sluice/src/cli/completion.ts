import type { Command } from 'commander'
import type { Act } from './command.ts'
import { CommandError } from './command-error.ts'

const shells = ['bash', 'zsh']

/** Adds the command that prints a script with which a shell completes all commands and their options. */
export function addCompletionCommand(program: Command, act: Act): void {
  program
    .command('completion')
    .description('print a script that completes commands: eval "$(sluice completion bash)"')
    .argument('<shell>', shells.join(' or '))
    .action(act((_environment, shell: string) => completionScript(program, shell)))
}

function completionScript(program: Command, shell: string): string {
  if (!shells.includes(shell))
    throw new CommandError(`${shell} is not supported: sluice completion ${shells.join(' or ')}`)
  return [
    ...(shell === 'zsh' ? ['autoload -U +X bashcompinit && bashcompinit'] : []),
    '_sluice() {',
    '  local words',
    '  case "${COMP_WORDS[1]} ${COMP_WORDS[2]} " in',
    ...program.commands.flatMap(casesOf),
    `    *) words='${wordsOf(program).join(' ')}' ;;`,
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))',
    '}',
    'complete -o default -F _sluice sluice',
  ].join('\n')
}

/** A group of commands stands after its commands, whose names begin with its own. */
function casesOf(command: Command): readonly string[] {
  const name = command.name()
  return [
    ...command.commands.map((one) => caseOf(`${name} ${one.name()} `, wordsOf(one))),
    caseOf(`${name} `, wordsOf(command)),
  ]
}

function caseOf(begin: string, words: readonly string[]): string {
  return `    '${begin}'*) words='${words.join(' ')}' ;;`
}

function wordsOf({ commands, options }: Command): readonly string[] {
  return [
    ...commands.map((command) => command.name()),
    ...options.flatMap(({ long }) => (typeof long === 'string' ? [long] : [])),
  ]
}
