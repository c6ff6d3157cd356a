// Every block of code in the pages of docs/ that are written by hand: run against a gateway, or checked, or said not to be run.
import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { parseAppliedFiles } from '../../packages/sluice/src/cli/apply/file.ts'
import { createConfig } from '../../packages/sluice/src/config/config.ts'
import { readEnvironment } from '../../packages/sluice/src/config/env.ts'
import { parseConfig } from '../../packages/sluice/src/config/file.ts'
import { agentsOfPage } from '../agents/agents.ts'
import { leaveOut } from '../support/leave-out.ts'
import { root } from '../support/npm.ts'
import { main } from '../support/run-sluice.ts'
import { adminKey, start, testKey, type Started } from '../support/start.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import versions from './client-versions.json' with { type: 'json' }
import { clients, installJavaScript, installPython } from './clients.ts'
import { pages, type Snippet, snippetsOf } from './snippets.ts'

const all = pages.flatMap(snippetsOf)
const runs = (language: string) =>
  all.filter((snippet) => snippet.language === language && snippet.notRun === undefined)
/** The first run installs what pages use. */
const installMs = 600_000
const placeOf = ({ page, line }: Snippet) => `${page}:${line}`

let gateway: Started
/** Where imports find the packages of the clients, and those of the project. */
const scripts = join(clients, 'scripts')
/** Why the packages of npm cannot be had here; undefined where they can. */
let noJavaScript: string | undefined

const why = (cause: unknown) => String(cause).trim().split('\n').at(-1)

beforeAll(async () => {
  gateway = await start()
  mkdirSync(scripts, { recursive: true })
  await installJavaScript().catch((cause: unknown) => {
    noJavaScript = `the clients cannot be installed from npm: ${why(cause)}`
  })
}, installMs)
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

async function run(
  program: string,
  args: readonly string[],
  folder: string,
  further: Readonly<Record<string, string>> = {},
): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, args, {
      cwd: folder,
      env: { ...variables(folder), ...further },
    })
    return stdout
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string }
    throw new Error(`${stdout}\n${stderr}`, { cause: error })
  }
}

/** A day of OpenAI's export on which nothing was used, as the ledger of this gateway says it, too. */
const billOfNothing = [
  'start_time_iso,model,num_model_requests,input_tokens,output_tokens',
  '2026-11-01T00:00:00+00:00,gpt-4o-2024-08-06,0,0,0',
  '',
].join('\n')

test('code blocks of every kind are run or checked', () => {
  expect(pages.length).toBeGreaterThan(12)
  expect(new Set(all.map(({ language }) => language))).toEqual(
    new Set(['sh', 'js', 'python', 'yaml', 'json', 'toml']),
  )
  const left = all.filter(({ notRun }) => notRun !== undefined)
  console.info(
    left.map((snippet) => `${placeOf(snippet)} is not run: ${snippet.notRun}`).join('\n'),
  )
  expect(left.filter(({ notRun }) => (notRun?.length ?? 0) < 20)).toEqual([])
})

describe('shell', () => {
  const withShell = pages.filter((page) => runs('sh').some((one) => one.page === page))

  test.each(withShell)('%s runs from its first line to its last', async (page) => {
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
    writeFileSync(join(folder.path, 'export.csv'), billOfNothing)
    const lines = snippetsOf(page)
      .filter(({ language, notRun }) => language === 'sh' && notRun === undefined)
      .map((snippet) => `echo '${placeOf(snippet)}' >&2\n${atGateway(snippet.code)}`)
    await run('bash', ['-c', ['set -euo pipefail', ...lines].join('\n')], folder.path)
  })
})

describe('JavaScript', () => {
  test.for(runs('js').map((snippet) => [placeOf(snippet), snippet] as const))(
    '%s',
    async ([place, { code }], context) => {
      const imported = [...code.matchAll(/from '([^']+)'/g)].map(([, name = '']) => name)
      if (noJavaScript !== undefined && imported.some((name) => name in versions.npm))
        return leaveOut(context, noJavaScript)
      const file = join(scripts, `${place.replace(/\W+/g, '-')}.mjs`)
      writeFileSync(file, atGateway(code))
      const said = await run(process.execPath, [file], root)
      expect(said.trim()).not.toBe('')
      if (code.includes('6 times 7')) expect(said).toMatch(/42|forty-two/i)
    },
  )
})

describe('Python', () => {
  test.for(all.filter(({ language }) => language === 'python'))(
    '$page:$line',
    { timeout: installMs },
    async ({ code }, context) => {
      const [, module = ''] = /^(?:from|import) (?!os)(\w+)/m.exec(code) ?? []
      const found = await installPython(module).catch(why)
      if (typeof found !== 'object') {
        // A machine without PyPI is no reason for CI to fail: the same calls are made in JavaScript.
        const reason = `left out: ${module} cannot be installed from PyPI: ${found}`
        console.warn(`${context.task.name}: ${reason}`)
        return context.skip(reason)
      }
      expect(await run('python3', ['-c', atGateway(code)], root, found)).toMatch(/42|forty-two/i)
    },
  )
})

describe('settings and files', () => {
  /** Every variable that a block refers to, with what any of them may hold. */
  const known = (code: string) =>
    Object.fromEntries(
      [...code.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => [
        name,
        name.includes('WEBHOOK') ? `whsec_${'A'.repeat(32)}` : 'k',
      ]),
    )

  /** Of other programs: LibreChat's is checked below, and Prometheus has no schema that can be installed. */
  const foreign = /^(?:# prometheus\.yml|# librechat\.yaml)\n/

  test.each(all.filter((snippet) => snippet.language === 'yaml'))('$page:$line', ({ code }) => {
    if (foreign.test(code)) expect(parse(code)).toBeTypeOf('object')
    else if (code.startsWith('# accounts.yaml')) parseAppliedFiles([{ name: '', text: code }])
    else {
      const file = parseConfig(code, 'sluice.yaml', known(code))
      createConfig(readEnvironment(known(code)), file, 'sluice.yaml')
    }
  })

  test.each(all.filter((snippet) => snippet.language === 'json'))('$page:$line', ({ code }) => {
    expect(JSON.parse(code)).toBeTypeOf('object')
  })

  test('LibreChat accepts its block', async (context) => {
    if (noJavaScript !== undefined) return leaveOut(context, noJavaScript)
    const [block] = all.filter(({ code }) => code.startsWith('# librechat.yaml'))
    const script = `import { configSchema } from 'librechat-data-provider'
      const { success, error } = configSchema.strict().safeParse(${JSON.stringify(parse(block?.code ?? ''))})
      console.log(success, error?.message)`
    const file = join(scripts, 'librechat.mjs')
    writeFileSync(file, script)
    expect(await run(process.execPath, [file], root)).toMatch(/^true /)
  })
})

test('the settings on the page of coding agents are those of the recorded runs', () => {
  const place = { url: 'http://127.0.0.1:8080', key: '$SLUICE_KEY', home: '/home', folder: '/work' }
  const settings = agentsOfPage.flatMap((agent) => [
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

test('the page of coding agents has every address, key and sign-in that its runs have', () => {
  const place = { url: 'http://127.0.0.1:8080', key: '$SLUICE_KEY', home: '/home', folder: '/work' }
  const page = snippetsOf('coding-agents.md')
  const codes = page.map(({ code }) => code).join('\n')
  // The others keep a run in a folder of its own and from the network.
  const variables = agentsOfPage.flatMap(({ env }) =>
    Object.entries(env(place)).flatMap(([name, value]) =>
      value.includes(place.url) || value === place.key ? [name] : [],
    ),
  )
  expect(variables.length).toBeGreaterThan(5)
  for (const name of variables) expect(codes).toContain(name)
  const gemini = agentsOfPage.find(({ name }) => name === 'gemini-cli')
  const said = page.find(({ code }) => code.includes('selectedType'))?.code ?? ''
  expect(Object.values(gemini?.files?.(place) ?? {})).toMatchObject([JSON.parse(said)])
})

test('the opencode and cline settings on that page are those of the recorded runs', () => {
  const place = { url: 'http://127.0.0.1:8080', key: '$SLUICE_KEY', home: '/home', folder: '/work' }
  const filesOf = (name: string) =>
    Object.values(agentsOfPage.find((agent) => agent.name === name)?.files?.(place) ?? {})
  const page = snippetsOf('coding-agents.md')
  const opencode = JSON.parse(page.find(({ code }) => code.includes('"provider"'))?.code ?? '') as {
    readonly provider: { readonly sluice: { readonly npm: string; readonly options: object } }
  }
  const { npm, options } = opencode.provider.sluice
  const ownKey = { ...options, apiKey: place.key }
  expect(filesOf('opencode (openai)')).toMatchObject([
    { provider: { sluice: { npm, options: ownKey } } },
  ])
  const cline = page.find(({ code }) => code.startsWith('cline auth'))?.code ?? ''
  const [, provider = ''] = /auth (\S+)/.exec(cline) ?? []
  const said = (option: string) => new RegExp(`--${option} "?([^\\s"]+)`).exec(cline)?.[1]
  const settings = {
    provider,
    apiKey: said('apikey'),
    model: said('modelid'),
    baseUrl: said('baseurl'),
  }
  expect(filesOf('cline (openai)')).toMatchObject([{ providers: { [provider]: { settings } } }])
})
