import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative, sep } from 'node:path'

/** Each package and the packages that it may import, by their names, as in `@sluice/contract`. */
export const packages: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  protocols: ['contract'],
  engine: ['contract'],
  sluice: ['contract', 'protocols', 'engine'],
  // It knows only the OpenAPI document of the gateway.
  console: [],
}

/** The folders of packages that have layers, and what each may import from, besides itself. */
export const layers: Readonly<Record<string, readonly string[]>> = {
  'contract/core': [],
  'contract/wire': ['contract/core'],
  'contract/operations': ['contract/core', 'contract/wire'],
  'console/texts': [],
  'console/api': [],
  'console/parts': ['console/api', 'console/texts'],
  // Files outside any folder hold the session and assemble the folders.
  'console/pages': ['console/parts', 'console/api', 'console/texts', 'console'],
  'console/layout': ['console/pages', 'console/parts', 'console/api', 'console/texts', 'console'],
  'sluice/settings': [],
  'sluice/ports': [],
  'sluice/threads': [],
  'sluice/prices': ['sluice/settings'],
  'sluice/accounts': ['sluice/ports', 'sluice/settings'],
  'sluice/storage': ['sluice/ports', 'sluice/accounts', 'sluice/threads'],
  'sluice/alerts': ['sluice/ports'],
  'sluice/ai-sdk': ['sluice/settings'],
  'sluice/providers': [],
  'sluice/gateway': [
    'sluice/providers',
    'sluice/settings',
    'sluice/ai-sdk',
    'sluice/ports',
    'sluice/accounts',
    'sluice/prices',
  ],
  'sluice/config': ['sluice/settings', 'sluice/gateway'],
  'sluice/telemetry': [
    'sluice/gateway',
    'sluice/providers',
    'sluice/config',
    'sluice/settings',
    'sluice/ports',
    'sluice/threads',
  ],
  'sluice/http': [
    'sluice/gateway',
    'sluice/accounts',
    'sluice/settings',
    'sluice/ports',
    'sluice/prices',
  ],
  'sluice/cli': [
    'sluice/http',
    'sluice/gateway',
    'sluice/providers',
    'sluice/ai-sdk',
    'sluice/config',
    'sluice/settings',
    'sluice/ports',
    'sluice/accounts',
    'sluice/prices',
    'sluice/alerts',
    'sluice/storage',
    'sluice/telemetry',
  ],
}

/** The folders of the gateway in the order of a call: each may import only those before it. */
const stepsOfCall = [
  'turns',
  'call',
  'route',
  'observe',
  'admit',
  'attempt',
  'failover',
  'answer',
  'stored',
] as const

const vague = /(^|[-/])(util|helper|common|shared|misc|manager|service|base|impl)s?(?=[-./]|$)/i
const linesMax = 400
const providerLinesMax = 60

/** A tree of sources: `package/path below its src`, with `/`. */
export type Sources = ReadonlyMap<string, string>

/** The sources of all packages below `folder`. */
export function readSources(folder: string): Sources {
  const found = new Map<string, string>()
  for (const name of readdirSync(folder)) {
    const src = join(folder, name, 'src')
    for (const path of readdirSync(src, { recursive: true, encoding: 'utf8' }))
      if (/\.tsx?$/.test(path))
        found.set(`${name}/${path.replaceAll(sep, '/')}`, readFileSync(join(src, path), 'utf8'))
  }
  return found
}

const packageOf = (path: string) => path.split('/')[0] ?? ''
const hasLayers = (name: string) =>
  Object.keys(layers).some((layer) => layer.startsWith(`${name}/`))

/**
 * For example `sluice/http`; a package without layers is a single layer. The package's entry, `index.ts`, is above all layers.
 */
export function layerOf(path: string): string {
  const [name = '', folder = ''] = path.split('/')
  return hasLayers(name) && !/\.tsx?$/.test(folder) ? `${name}/${folder}` : name
}

export function importsOf(path: string, text: string): readonly string[] {
  const specifiers = text.matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g)
  return [...specifiers].map(([, to = '']) =>
    relative('.', normalize(join(dirname(path), to))).replaceAll(sep, '/'),
  )
}

/** A sentence for every broken rule. */
export function breaches(sources: Sources): readonly string[] {
  return [...sources].flatMap(([path, text]) => [
    ...layerBreaches(path, text),
    ...providerBreaches(path, text),
    ...purityBreaches(path, text),
    ...nameBreaches(path, text),
    ...engineBreaches(path, text),
    ...admissionBreaches(path, text),
    ...stepBreaches(path, text),
    ...shapeBreaches(path, text),
  ])
}

function layerBreaches(path: string, text: string): readonly string[] {
  const layer = layerOf(path)
  const name = packageOf(path)
  const allowed = layers[layer] ?? (packages[layer] && [])
  if (!allowed) return [`${path} is in no known layer`]
  const inside = importsOf(path, text).flatMap((to) => {
    if (packageOf(to) !== name) return [`${path} imports ${to} past the door of its package`]
    const isBelow = layerOf(to) === layer || layer === name || allowed.includes(layerOf(to))
    return isBelow ? [] : [`${path} imports ${to}, which is not below it`]
  })
  const doors = packagesImportedBy(text)
    .filter((other) => packages[name]?.includes(other) !== true)
    .map((other) => `${path} imports the package ${other}, which is not below it`)
  return [...inside, ...doors]
}

function packagesImportedBy(text: string): readonly string[] {
  return [...text.matchAll(/\b(?:from|import)\s*\(?\s*'@sluice\/([^']+)'/g)].map(
    ([, name = '']) => name,
  )
}

/** A sentence for every cycle of files that import each other, including type imports. */
export function cycles(sources: Sources): readonly string[] {
  const found: string[] = []
  const state = new Map<string, 'open' | 'done'>()
  const way: string[] = []
  const visit = (path: string): void => {
    if (state.get(path) === 'done') return
    if (state.get(path) === 'open') {
      found.push([...way.slice(way.indexOf(path)), path].join(' imports '))
      return
    }
    state.set(path, 'open')
    way.push(path)
    for (const to of importsOf(path, sources.get(path) ?? '')) if (sources.has(to)) visit(to)
    way.pop()
    state.set(path, 'done')
  }
  for (const path of sources.keys()) visit(path)
  return found
}

/** Files shared by several providers; every other file in the folder is one provider. */
const providerParts: ReadonlySet<string> = new Set([
  'sluice/providers/provider.ts',
  'sluice/providers/compatible.ts',
  'sluice/providers/aws-signature.ts',
  'sluice/providers/google-access.ts',
  'sluice/providers/retirements.ts',
])

/** A provider is data in a short file and must not import another provider. */
function providerBreaches(path: string, text: string): readonly string[] {
  if (!/^sluice\/providers\/[\w-]+\.ts$/.test(path)) return []
  if (path === 'sluice/providers/index.ts' || providerParts.has(path)) return []
  const lines = text.split('\n').length
  const others = importsOf(path, text).filter(
    (to) => /^sluice\/providers\/[\w-]+\.ts$/.test(to) && !providerParts.has(to),
  )
  return [
    ...(lines > providerLinesMax ? [`${path} has ${lines} lines; a provider is data`] : []),
    ...others.map((to) => `${path} imports ${to}; providers do not know each other`),
  ]
}

const clock = /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\brandomUUID\(|\brandomBytes\(/
const inputOutput = /from 'node:(?:fs|net|http|https|child_process|dns)|from 'undici'|\bfetch\(/

function purityBreaches(path: string, text: string): readonly string[] {
  const found: string[] = []
  const isPure = ['protocols', 'contract'].includes(packageOf(path))
  if (isPure && inputOutput.test(text)) found.push(`${path} does input or output`)
  if (isPure && clock.test(text)) found.push(`${path} reads a clock or draws at random`)
  if (path !== 'sluice/config/env.ts' && text.includes('process.env'))
    found.push(`${path} reads the environment`)
  return found
}

/** The engine's id is `engineCard.id`; no other package may name it literally. */
function engineBreaches(path: string, text: string): readonly string[] {
  const isNamed = packageOf(path) !== 'engine' && /['"`]builtin['"`/]/.test(text)
  return isNamed ? [`${path} asks for the built-in engine by name`] : []
}

/** A call is let in where its reservation is made, and nowhere else. */
function admissionBreaches(path: string, text: string): readonly string[] {
  const isAdmission = path.startsWith('sluice/gateway/admit/')
  return !isAdmission && text.includes('admittedCall') ? [`${path} lets a call in`] : []
}

/** A sentence for each import of a later step of a call; files of the gateway are in the folder of a step. */
function stepBreaches(path: string, text: string): readonly string[] {
  if (!path.startsWith('sluice/gateway/')) return []
  const step = stepOf(path)
  if (step < 0) return [`${path} belongs to no step of a call`]
  return importsOf(path, text)
    .filter((to) => to.startsWith('sluice/gateway/') && stepOf(to) > step)
    .map((to) => `${path} imports ${to}, which is a later step of a call`)
}

function stepOf(path: string): number {
  return stepsOfCall.findIndex((step) => path.startsWith(`sluice/gateway/${step}/`))
}

/** Fields that only some client formats or upstreams have. Where they are is for protocols to know. */
const shapes =
  /\b(?:generationConfig|systemInstruction|candidates|functionCall|finishReason|max(?:_completion|_output)?_tokens|stream_options|previous_response_id|stop_reason|content_block|tool_use|tool_calls|partial_json|reasoning_content|encrypted_content)\b/
const vendors =
  /['"`](?:openai|anthropic|claude|gemini|google|vertex|azure|bedrock|amazon|mistral|cohere|xai|alibaba|dashscope)\b/

/** The gateway and what observes it know neither fields of formats nor vendors: both are data of protocols and providers. */
function shapeBreaches(path: string, text: string): readonly string[] {
  if (!/^sluice\/(?:gateway|telemetry)\//.test(path)) return []
  return [shapes, vendors].flatMap((names) => {
    const [named] = names.exec(text) ?? []
    return named === undefined
      ? []
      : [`${path} knows ${named}, which is for protocols or providers`]
  })
}

function nameBreaches(path: string, text: string): readonly string[] {
  const lines = text.split('\n').length - 1
  return [
    ...(vague.test(path) ? [`${path} is named for nothing`] : []),
    ...(lines > linesMax ? [`${path} has ${lines} lines`] : []),
    ...(/[A-Z_]/.test(path) ? [`${path} is not kebab-case`] : []),
    ...(/\bas any\b|: any\b|@ts-ignore|@ts-expect-error/.test(text)
      ? [`${path} loosens a type`]
      : []),
  ]
}
