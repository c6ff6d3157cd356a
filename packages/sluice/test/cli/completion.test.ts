import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { createProgram } from '../../src/cli/program.ts'

async function printed(...args: readonly string[]): Promise<string> {
  let text = ''
  const program = createProgram(
    (said) => {
      text += said
    },
    () => {},
  )
  await program.parseAsync(args, { from: 'user' })
  return text
}

/** What bash offers for the last of the words, of which the first is the program. */
function completed(script: string, words: readonly string[]): readonly string[] {
  const line = words.map((word) => `'${word}'`).join(' ')
  const asked = `COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _sluice; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr } = spawnSync('bash', ['-c', `${script}\n${asked}`], { encoding: 'utf8' })
  expect(stderr).toBe('')
  return stdout.split('\n').filter((word) => word !== '')
}

test.each([
  [['sluice', 'ke'], ['keys']],
  [['sluice', 'keys', 'ro'], ['rotate']],
  [['sluice', 'keys', 'create', '--na'], ['--name']],
  [['sluice', 'keys', 'create', '--name', 'app', '--bud'], ['--budget']],
  [['sluice', 'serve', '--po'], ['--port']],
  [['sluice', 'routes', 'set', 'fast', '--dry'], ['--dry-run']],
  [['sluice', 'nosuch', '--x'], []],
])('bash completes %j', async (words, wanted) => {
  expect(completed(await printed('completion', 'bash'), words)).toEqual(wanted)
})

test('zsh gets the same script, and other shells an error', async () => {
  const [first, ...rest] = (await printed('completion', 'zsh')).split('\n')
  expect(first).toContain('bashcompinit')
  expect(rest.join('\n')).toBe(await printed('completion', 'bash'))
  await expect(printed('completion', 'fish')).rejects.toThrow('fish is not supported')
})
