// Every block of code in the pages of docs/ that are written by hand: run against a gateway, or checked, or said not to be run.
import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, type TestContext } from 'vitest'
import { parse } from 'yaml'
import { parseAppliedFile } from '../../packages/sluice/src/cli/apply/file.ts'
import { parseConfig } from '../../packages/sluice/src/config/file.ts'
import { agents } from '../agents/agents.ts'
import { root } from '../support/npm.ts'
import { main } from '../support/run-sluice.ts'
import { adminKey, start, testKey, type Started } from '../support/start.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { pages, type Snippet, snippetsOf } from './snippets.ts'

const all = pages.flatMap(snippetsOf)
const runs = (language: string) =>
  all.filter((snippet) => snippet.language === language && snippet.notRun === undefined)
const placeOf = ({ page, line }: Snippet) => `${page}:${line}`

/** Pages of others whose blocks show settings, messages and questions in part. */
const shownInPart: ReadonlySet<string> = new Set([
  'usage.md',
  'requests.md',
  'alerts.md',
  'observability.md',
])
const inFull = (snippet: Snippet) => !shownInPart.has(snippet.page)

let gateway: Started
/** Inside of the project, so that imports find its packages. */
const scripts = join(root, 'node_modules/.cache/docs-snippets')

beforeAll(async () => {
  gateway = await start()
  mkdirSync(scripts, { recursive: true })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  rmSync(scripts, { recursive: true, force: true })
})

const atGateway = (code: string) => code.replaceAll('http://127.0.0.1:8080', gateway.url)

function variables(folder: string): Record<string, string> {
  return {
    PATH: `${folder}/bin:${process.env['PATH']}`,
    HOME: folder,
    SLUICE_KEY: testKey,
    SLUICE_ADMIN_KEY: adminKey,
    SLUICE_DATA: gateway.dataFolder,
    SLUICE_PORT: new URL(gateway.url).port,
  }
}

async function run(program: string, args: readonly string[], folder: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, args, {
      cwd: folder,
      env: variables(folder),
    })
    return stdout
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string }
    throw new Error(`${stdout}\n${stderr}`, { cause: error })
  }
}

test('there are blocks of every kind, and each is of a kind that is run or checked', () => {
  expect(pages.length).toBeGreaterThan(12)
  expect(new Set(all.filter(inFull).map(({ language }) => language))).toEqual(
    new Set(['sh', 'js', 'python', 'yaml', 'json', 'toml']),
  )
  const left = all.filter(({ notRun }) => notRun !== undefined)
  console.info(
    left.map((snippet) => `${placeOf(snippet)} is not run: ${snippet.notRun}`).join('\n'),
  )
  expect(left.filter(({ notRun }) => (notRun?.length ?? 0) < 20)).toEqual([])
})

describe('shell', () => {
  const withShell = pages.filter((page) =>
    runs('sh').some((one) => one.page === page && inFull(one)),
  )

  test.each(withShell)('%s, from its first line to its last', async (page) => {
    using folder = temporaryFolder()
    mkdirSync(join(folder.path, 'bin'))
    writeFileSync(
      join(folder.path, 'bin/sluice'),
      `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`,
      { mode: 0o755 },
    )
    for (const { code } of snippetsOf(page).filter(({ language }) => language === 'yaml')) {
      const [, file] = /^# (accounts\.yaml)\n/.exec(code) ?? []
      if (file !== undefined) writeFileSync(join(folder.path, file), code)
    }
    const lines = snippetsOf(page)
      .filter(({ language, notRun }) => language === 'sh' && notRun === undefined)
      .map((snippet) => `echo '${placeOf(snippet)}' >&2\n${atGateway(snippet.code)}`)
    await run('bash', ['-c', ['set -euo pipefail', ...lines].join('\n')], folder.path)
  })
})

describe('JavaScript', () => {
  test.each(runs('js').map((snippet) => [placeOf(snippet), snippet] as const))(
    '%s',
    async (place, { code }) => {
      const file = join(scripts, `${place.replace(/\W+/g, '-')}.mjs`)
      writeFileSync(file, atGateway(code))
      const said = await run(process.execPath, [file], root)
      expect(said.trim()).not.toBe('')
      if (code.includes('6 times 7')) expect(said).toMatch(/42|forty-two/i)
    },
  )
})

describe('Python', () => {
  const python = process.env['DOCS_PYTHON'] ?? 'python3'

  function leaveOutPython(context: TestContext, reason: string): void {
    console.warn(`${context.task.name}: left out: ${reason}`)
    context.skip(reason)
  }

  test.for(all.filter(({ language }) => language === 'python'))(
    '$page:$line',
    async (snippet, context) => {
      const compiled = spawnSync(
        python,
        ['-c', 'import sys; compile(sys.stdin.read(), "page", "exec")'],
        {
          input: snippet.code,
          encoding: 'utf8',
        },
      )
      if (compiled.error) return leaveOutPython(context, 'there is no Python')
      expect(compiled.stderr).toBe('')
      const [, module = ''] =
        /^(?:from|import) (openai|anthropic|google|langchain_openai)/m.exec(snippet.code) ?? []
      const imports = module === 'google' ? 'from google import genai' : `import ${module}`
      if (spawnSync(python, ['-c', imports]).status !== 0)
        return leaveOutPython(context, `${module} is not installed: compiled, and not run`)
      expect(await run(python, ['-c', atGateway(snippet.code)], root)).toMatch(/42|forty-two/i)
    },
  )
})

describe('settings and files', () => {
  const known = { ACME_KEY_1: 'k', ACME_KEY_2: 'k' }

  test.each(all.filter((snippet) => snippet.language === 'yaml' && inFull(snippet)))(
    '$page:$line',
    ({ code }) => {
      if (code.startsWith('# sluice.yaml')) parseConfig(code, 'sluice.yaml', known)
      else if (code.startsWith('# accounts.yaml')) parseAppliedFile(code)
      else expect(parse(code)).toBeTypeOf('object')
    },
  )

  test.each(all.filter((snippet) => snippet.language === 'json' && inFull(snippet)))(
    '$page:$line',
    ({ code }) => {
      expect(JSON.parse(code)).toBeTypeOf('object')
    },
  )
})

test('what the page of coding agents says to set is what the agents were run with', () => {
  const place = { url: 'http://127.0.0.1:8080', key: '$SLUICE_KEY', home: '/home', folder: '/work' }
  const settings = agents.flatMap((agent) => [
    ...Object.entries(agent.env(place)).map(([name, value]) => `export ${name}=${value}`),
    ...Object.values(agent.files?.(place) ?? {}).flatMap((file) =>
      typeof file === 'string' ? file.split('\n') : [],
    ),
  ])
  const said = snippetsOf('coding-agents.md')
    .filter(
      ({ notRun, language }) =>
        notRun?.startsWith('npm run agents') === true && ['sh', 'toml'].includes(language),
    )
    .flatMap(({ code }) => code.split('\n'))
    .filter((line) => line.includes('='))
  expect(said.length).toBeGreaterThan(12)
  for (const line of said) expect(settings).toContain(line)
})
