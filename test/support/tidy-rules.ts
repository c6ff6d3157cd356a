import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative, sep } from 'node:path'

/** Each folder of src and what it may import from, besides itself. Read downwards: nothing imports upwards. */
export const layers: Readonly<Record<string, readonly string[]>> = {
  core: [],
  wire: ['core'],
  operations: ['core'],
  engine: ['operations', 'wire', 'core'],
  config: ['core'],
  storage: ['core'],
  protocols: ['operations', 'wire', 'core'],
  providers: ['protocols', 'operations', 'wire', 'core', 'engine'],
  gateway: ['providers', 'protocols', 'operations', 'engine', 'config', 'wire', 'core'],
  http: ['gateway', 'protocols', 'operations', 'config', 'wire', 'core'],
  cli: [
    'http',
    'gateway',
    'providers',
    'protocols',
    'operations',
    'engine',
    'config',
    'storage',
    'wire',
    'core',
  ],
}

const vague = /(^|[-/])(util|helper|common|shared|misc|manager|service|base|impl)s?(?=[-./]|$)/i
const linesMax = 400
const providerLinesMax = 60

/** A tree of sources: paths relative to src, with `/`. */
export type Sources = ReadonlyMap<string, string>

export function readSources(src: string): Sources {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  )
  return new Map(
    files.map((path) => [path.replaceAll(sep, '/'), readFileSync(join(src, path), 'utf8')]),
  )
}

const folderOf = (path: string) => path.split('/')[0] ?? ''
const isTest = (path: string) => path.endsWith('.test.ts')

export function importsOf(path: string, text: string): readonly string[] {
  const specifiers = text.matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g)
  return [...specifiers].map(([, to = '']) =>
    relative('.', normalize(join(dirname(path), to))).replaceAll(sep, '/'),
  )
}

/** Every break of a rule, as a sentence. */
export function breaches(sources: Sources): readonly string[] {
  return [...sources].flatMap(([path, text]) => [
    ...layerBreaches(path, text),
    ...providerBreaches(path, text),
    ...purityBreaches(path, text),
    ...nameBreaches(path, text),
  ])
}

function layerBreaches(path: string, text: string): readonly string[] {
  const folder = folderOf(path)
  const allowed = layers[folder]
  if (!allowed) return [`${path} is in no known layer`]
  if (isTest(path)) return []
  return importsOf(path, text)
    .filter((to) => folderOf(to) !== folder && !allowed.includes(folderOf(to)))
    .map((to) => `${path} imports ${to}, which is not below it`)
}

/** What several providers are made of; everything else in the folder is one provider. */
const providerParts: ReadonlySet<string> = new Set([
  'providers/provider.ts',
  'providers/compatible.ts',
  'providers/aws-signature.ts',
  'providers/google-access.ts',
])

/** A provider is data in a short file and knows no other provider. */
function providerBreaches(path: string, text: string): readonly string[] {
  if (!/^providers\/[\w-]+\.ts$/.test(path) || isTest(path)) return []
  if (path === 'providers/index.ts' || providerParts.has(path)) return []
  const lines = text.split('\n').length
  const others = importsOf(path, text).filter(
    (to) => /^providers\/[\w-]+\.ts$/.test(to) && !providerParts.has(to),
  )
  return [
    ...(lines > providerLinesMax ? [`${path} has ${lines} lines; a provider is data`] : []),
    ...others.map((to) => `${path} imports ${to}; providers do not know each other`),
  ]
}

const clock = /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\brandomUUID\(|\brandomBytes\(/
const inputOutput = /from 'node:(?:fs|net|http|https|child_process|dns)|from 'undici'|\bfetch\(/

function purityBreaches(path: string, text: string): readonly string[] {
  if (isTest(path)) return []
  const found: string[] = []
  const folder = folderOf(path)
  if ((folder === 'protocols' || folder === 'wire') && inputOutput.test(text))
    found.push(`${path} does input or output`)
  if ((folder === 'protocols' || folder === 'wire') && clock.test(text))
    found.push(`${path} reads a clock or draws at random`)
  if (path !== 'config/env.ts' && text.includes('process.env'))
    found.push(`${path} reads the environment`)
  return found
}

function nameBreaches(path: string, text: string): readonly string[] {
  const lines = text.split('\n').length - 1
  return [
    ...(vague.test(path) ? [`${path} is named for nothing`] : []),
    ...(lines > linesMax ? [`${path} has ${lines} lines`] : []),
    ...(/[A-Z_]/.test(path) ? [`${path} is not kebab-case`] : []),
    ...(/\bas any\b|: any\b|@ts-ignore|@ts-expect-error/.test(text) && !isTest(path)
      ? [`${path} loosens a type`]
      : []),
  ]
}
