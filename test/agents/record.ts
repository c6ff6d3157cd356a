import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir, hostname } from 'node:os'
import { join } from 'node:path'
import { root } from '../support/npm.ts'
import type { Agent } from './agents.ts'
import type { Result } from './run-cell.ts'
import type { Tapped } from './tap.ts'
import { bareTarget } from './targets.ts'

type Fields = Readonly<Record<string, unknown>>

/** What an agent really sent, its long texts cut, in `test/agents/recorded/`. */
export interface Recorded {
  readonly agent: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** The request that begins its work. */
  readonly first: Fields
  /** What its last request has otherwise: the whole conversation, with the calls it made and what came of them. */
  readonly last: Fields
  /** What it asks beside its work and without tools, such as a title. */
  readonly asides: readonly { readonly path: string; readonly body: Fields }[]
}

export const recordedFolder = join(import.meta.dirname, 'recorded')

/** Where an agent worked, as a record has it. */
export const recordedPlace = '/home/ada/project'

/** Records are made in front of a model that never thinks: what it said holds for every other. */
const recordedTarget = 'Cohere'

/** Writes what each agent sent, where it finished. */
export function record(results: readonly Result[]): void {
  mkdirSync(recordedFolder, { recursive: true })
  for (const { agent, target, wrong, requests, folder } of results)
    if (target.name === recordedTarget && wrong.length === 0) {
      const text = JSON.stringify(recordedOf(agent, requests, folder), undefined, 1)
      writeFileSync(join(recordedFolder, `${slugOf(agent)}.json`), `${text}\n`)
    }
  recordModels(results)
}

const modelsFile = join(import.meta.dirname, 'default-models.json')

/** The models that each agent asks for where nobody has chosen one. */
function recordModels(results: readonly Result[]): void {
  const known = JSON.parse(readFileSync(modelsFile, 'utf8')) as Record<string, readonly string[]>
  for (const { agent, target, wrong, requests } of results)
    if (target === bareTarget && wrong.length === 0)
      known[agent.name] = [...new Set(requests.flatMap(modelOf))].toSorted()
  writeFileSync(modelsFile, `${JSON.stringify(known, undefined, 2)}\n`)
}

function modelOf({ method, path, bytes }: Tapped): readonly string[] {
  const [, inPath] = /\/models\/([^/:?]+)/.exec(path) ?? []
  if (inPath !== undefined) return [decodeURIComponent(inPath)]
  if (method !== 'POST') return []
  const { model } = JSON.parse(bytes.toString()) as { readonly model?: string }
  return model === undefined ? [] : [model]
}

const slugOf = ({ name }: Agent): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')

function recordedOf(agent: Agent, requests: readonly Tapped[], folder: string): Recorded {
  const asked = requests.flatMap(({ method, path, headers, bytes }) => {
    if (method !== 'POST') return []
    const text = bytes
      .toString()
      .replaceAll(join(folder, 'work'), recordedPlace)
      .replaceAll(folder, '/home/ada')
      .replaceAll(root, '/opt/agents')
      .replaceAll(homedir(), '/home/ada')
      .replaceAll(hostname(), 'host')
    return [{ path, headers, body: trimmed(JSON.parse(text)) as Fields }]
  })
  const working = asked.filter(({ body }) => body['tools'] !== undefined)
  const [begun] = working
  const ended = working.at(-1)
  if (begun === undefined || ended === undefined) throw new Error(`${agent.name} sent no tools`)
  const { path, headers, body: first } = begun
  const changed = Object.entries(ended.body).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(first[name]),
  )
  return {
    agent: agent.name,
    path,
    headers: Object.fromEntries(
      Object.entries(headers).filter(([name]) => name.startsWith('anthropic-')),
    ),
    first,
    last: Object.fromEntries(changed),
    asides: asked
      .filter(({ body }) => body['tools'] === undefined)
      .map((aside) => ({ path: aside.path, body: aside.body })),
  }
}

/** Characters of a text and of a description that are kept. */
const textCharactersMax = 240
const descriptionCharactersMax = 60

/** The value with every field it has, and its long texts cut; a grammar is kept, as a half of one is none. */
function trimmed(value: unknown, name = ''): unknown {
  if (typeof value === 'string') {
    const most = name === 'description' ? descriptionCharactersMax : textCharactersMax
    return value.length <= most || name === 'definition' ? value : `${value.slice(0, most)}…`
  }
  if (Array.isArray(value)) return value.map((item) => trimmed(item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, trimmed(inner, key)]))
}
