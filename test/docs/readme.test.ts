// README.md: what it says of figures, pictures and files.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../support/npm.ts'

const readme = readFileSync(join(root, 'README.md'), 'utf8')

test('is shorter than 170 lines', () => {
  expect(readme.split('\n').length).toBeLessThan(170)
})

test('links only to existing files and images', () => {
  const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path = '']) => path)
  expect(links.length).toBeGreaterThan(20)
  for (const path of links) expect(existsSync(join(root, path)), path).toBe(true)
})

test('names the benchmark’s processor times within a fifth', () => {
  const { measured } = JSON.parse(
    readFileSync(join(root, 'bench/results/latest.json'), 'utf8'),
  ) as {
    readonly measured: readonly {
      readonly scenario: { readonly name: string }
      readonly rows: readonly { readonly target: string; readonly cpuUs?: number }[]
    }[]
  }
  const rows = measured.find(({ scenario }) => scenario.name === 'chat-2k')?.rows ?? []
  const said: Readonly<Record<string, RegExp>> = {
    sluice: /(\d+) µs of processor time for a 2 KB chat/,
    thin: /proxy of sixty lines took (\d+)/,
    bare: /bare Fastify proxy (\d+)/,
  }
  for (const [target, pattern] of Object.entries(said)) {
    const measuredUs = rows.find((row) => row.target === target)?.cpuUs ?? Number.NaN
    const saidUs = Number(pattern.exec(readme.replaceAll('\n', ' '))?.[1])
    expect(Math.abs(saidUs / measuredUs - 1), `${target}: ${measuredUs}`).toBeLessThan(0.2)
  }
})

test('agent runs and fault counts match the pages', () => {
  const textOf = (file: string) => readFileSync(join(root, file), 'utf8')
  const [, finished, runs] = /(\d+) of (\d+) runs finished/.exec(textOf('docs/agents.md')) ?? []
  expect(finished).toMatch(/\d/)
  expect(finished).toBe(runs)
  const [, counted] = /(\d+) faults/.exec(textOf('docs/fault-wall.md')) ?? []
  for (const page of ['README.md', 'docs/streaming.md', 'docs/compare.md']) {
    const [, said] = /ore than (\d+) faults/.exec(textOf(page)) ?? []
    expect(Number(counted), page).toBeGreaterThan(Number(said))
  }
})
