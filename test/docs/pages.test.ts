// The pages that are made of the program, and what holds for all pages; without building the site.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandsPage } from '../../docs/site/commands-page.ts'
import { sizingPart, speedPart } from '../../docs/site/bench-parts.ts'
import { errorPage } from '../../docs/site/error-pages.ts'
import { providerPage } from '../../docs/site/provider-pages.ts'
import { errorCodes, GatewayError } from '../../packages/contract/src/index.ts'
import { createProgram } from '../../packages/sluice/src/cli/program.ts'
import { createConfig } from '../../packages/sluice/src/config/config.ts'
import { readEnvironment } from '../../packages/sluice/src/config/env.ts'
import { parseConfig } from '../../packages/sluice/src/config/file.ts'
import { configuredUpstreams } from '../../packages/gateway/src/route/upstreams.ts'
import { providers } from '../../packages/gateway/src/providers/index.ts'
import { root } from '../support/npm.ts'
import { pages } from './snippets.ts'

const docs = join(root, 'docs')
const textOf = (page: string) => readFileSync(join(docs, page), 'utf8')

test('the menu lists exactly the existing pages', () => {
  const menu = textOf('.vitepress/config.ts')
  const links = [...menu.matchAll(/link: '\/([^']+)'/g)].map(([, link = '']) => link)
  const decisions = readdirSync(join(docs, 'decisions')).map((file) => `decisions/${file}`)
  const made = ['errors/', 'providers/', 'settings', 'apply-file', 'commands']
  const written = [...pages.filter((page) => page !== 'index.md'), ...decisions]
  const wanted = [...written.map((page) => page.replace(/\.md$/, '')), ...made]
  expect([...new Set(links)].toSorted()).toEqual(wanted.toSorted())
})

describe('provider pages', () => {
  test.each([...providers.values()])('the settings shown for $id enable it', (provider) => {
    const page = providerPage(provider).join('\n')
    const [, yaml = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? []
    const variables = Object.fromEntries(provider.environment.map((name) => [name, 'secret']))
    const content = parseConfig(yaml, 'sluice.yaml', variables)
    const config = createConfig(readEnvironment({}), content, 'sluice.yaml')
    const skipped: string[] = []
    const on = configuredUpstreams(config, providers, (id, reason) => {
      skipped.push(`${id}: ${reason}`)
    })
    expect(skipped).toEqual([])
    expect([...on.keys()]).toContain(provider.id)
    expect(page).toContain(provider.documentation)
  })
})

test.each([...errorCodes])('the page of the error %s has a description and a remedy', (code) => {
  const page = errorPage(code).join('\n')
  const { status, publicCode } = new GatewayError(code, '')
  expect(page).toContain(`| status | ${status}`)
  expect(page).toContain(String(publicCode))
  expect(page).toMatch(/\*\*What to do:\*\* \S/)
})

test('every command and option has a description without a full stop', () => {
  type Command = ReturnType<typeof createProgram>
  const program = createProgram(
    () => {},
    () => {},
  )
  const all = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(all)]
  const page = commandsPage().join('\n')
  for (const command of all(program).slice(1)) {
    const { options, registeredArguments: args } = command
    for (const { description } of [command.description(), ...options, ...args].map((one) =>
      typeof one === 'string' ? { description: one } : one,
    ))
      expect(description, command.name()).toMatch(/^\S[\s\S]*[^.\s]$/)
    for (const { flags } of options) expect(page).toContain(`\`${flags}`)
    expect(page).toMatch(new RegExp(`^##+ sluice (?:\\w+ )?${command.name()}$`, 'm'))
  }
  expect(all(program).length).toBeGreaterThan(40)
})

/** What starts something, and what prints JSON in any case. */
const withoutJson = new Set([
  'sluice serve',
  'sluice openapi',
  'sluice completion',
  'config schema',
  'contents export',
])

test('every command with output supports JSON', () => {
  type Command = ReturnType<typeof createProgram>
  const program = createProgram(
    () => {},
    () => {},
  )
  const leaves = (command: Command): readonly Command[] =>
    command.commands.length === 0 ? [command] : command.commands.flatMap(leaves)
  const missing = leaves(program)
    .filter(({ options }) => !options.some(({ long }) => long === '--json'))
    .map((command) => `${command.parent?.name()} ${command.name()}`)
  expect(missing.filter((name) => !withoutJson.has(name))).toEqual([])
})

test('benchmark figures are shown', () => {
  const part = sizingPart(root).join('\n')
  expect(part).toMatch(/\| chat, 2 KB, same format \| \d+ µs \| [\d,]+ \|/)
  expect(part).not.toMatch(/NaN|undefined/)
  expect(speedPart(root).join('\n')).toMatch(
    /Sluice used \d+ µs.*used \d+ µs.*Fastify \d+ µs.*\d\.\d to \d\.\d times \(.*\d\.\d to \d\.\d times \(/,
  )
})

/** How long an entry about another gateway counts as checked. */
const monthsMax = 6

describe('other gateways', () => {
  const [, field = ''] = /^## Other gateways\n([\s\S]*?)^## /m.exec(textOf('compare.md')) ?? []
  const entries = field
    .split(/^### /m)
    .slice(1)
    .map((entry) => [entry.split('\n', 1)[0] ?? '', entry] as const)

  test('are more than ten, and each claim links to its source', () => {
    expect(entries.length).toBeGreaterThan(10)
    const claims = field.split('\n').filter((line) => line.startsWith('- '))
    expect(claims.length).toBeGreaterThan(25)
    for (const claim of claims) expect(claim).toMatch(/\[[^\]]+\]\(https:\/\/[^)]+\)/)
  })

  // The commit's date and not today's: what once passed, passes for ever.
  const committed = execFileSync('git', ['log', '-1', '--format=%cI'], { cwd: root })
  const oldest = new Date(String(committed).trim())
  oldest.setMonth(oldest.getMonth() - monthsMax)

  test.each(entries)(
    '%s was checked less than six months ago, as were its sources',
    (name, entry) => {
      const [, checked = ''] = /^Checked on (\d{4}-\d\d-\d\d)\. /m.exec(entry) ?? []
      expect(checked, `${name} does not say when it was checked`).not.toBe('')
      for (const [date] of entry.matchAll(/\b\d{4}-\d\d-\d\d\b/g))
        expect(
          Date.parse(date),
          `${name} names ${date}: read its sources again and write what they say now`,
        ).toBeGreaterThan(oldest.getTime())
    },
  )
})
