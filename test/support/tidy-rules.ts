import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative, sep } from 'node:path'

/**
 * The folders of a package from the lowest to the highest: each may import only those before it. Files outside of any folder
 * may import all of them; where `.` is listed, the folders after it may import these files.
 */
export const orders: Readonly<Record<string, readonly string[]>> = {
  contract: ['core', 'wire', 'operations'],
  // From `turns` on in the order of a call.
  gateway: [
    'settings',
    'ports',
    'accounts',
    'prices',
    'providers',
    'ai-sdk',
    'turns',
    'call',
    'dial',
    'media',
    'upstream',
    'route',
    'observe',
    'admit',
    'attempt',
    'failover',
    'answer',
    'stored',
  ],
  // Files outside of any folder say what a database is; only the store itself assembles the folders.
  store: ['.', 'threads', 'tables', 'usage', 'ledger', 'keys', 'limits', 'sqlite', 'postgres'],
  sluice: ['config', 'alerts', 'telemetry', 'cli'],
  // Files outside of any folder hold the session and assemble the folders.
  console: ['texts', 'api', 'parts', '.', 'pages', 'layout'],
}

const vague = /(^|[-/])(util|helper|common|shared|misc|manager|service|base|impl)s?(?=[-./]|$)/i
const linesMax = 400
const providerLinesMax = 60

/** A tree of sources: `package/path below its src`, with `/`. */
export type Sources = ReadonlyMap<string, string>

/** What the package.json of each package below `folder` depends on, by the name of its folder. */
export function readDependencies(folder: string): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    readdirSync(folder).map((name) => {
      const content: unknown = JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8'))
      const { dependencies = {} } = content as { dependencies?: Readonly<Record<string, string>> }
      return [name, new Set(Object.keys(dependencies))]
    }),
  )
}

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
const folderOf = (path: string) => path.split('/').slice(1, -1)[0] ?? '.'

/** A folder's place in its package's order; that of files outside of any folder is above all unless it is listed. */
function rankOf(path: string): number | undefined {
  const order = orders[packageOf(path)] ?? []
  const folder = folderOf(path)
  const rank = order.indexOf(folder)
  if (rank >= 0) return rank
  return folder === '.' ? order.length : undefined
}

export function importsOf(path: string, text: string): readonly string[] {
  const specifiers = text.matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g)
  return [...specifiers].map(([, to = '']) =>
    relative('.', normalize(join(dirname(path), to))).replaceAll(sep, '/'),
  )
}

/** A sentence for every broken rule. */
export function breaches(
  sources: Sources,
  dependencies: ReadonlyMap<string, ReadonlySet<string>>,
): readonly string[] {
  return [...sources].flatMap(([path, text]) => [
    ...packageBreaches(path, text, dependencies),
    ...orderBreaches(path, text),
    ...providerBreaches(path, text),
    ...purityBreaches(path, text),
    ...nameBreaches(path, text),
    ...engineBreaches(path, text),
    ...admissionBreaches(path, text),
    ...shapeBreaches(path, text),
  ])
}

function packageBreaches(
  path: string,
  text: string,
  dependencies: ReadonlyMap<string, ReadonlySet<string>>,
): readonly string[] {
  const name = packageOf(path)
  const past = importsOf(path, text)
    .filter((to) => packageOf(to) !== name)
    .map((to) => `${path} imports ${to} past the door of its package`)
  const undeclared = [...text.matchAll(/\b(?:from|import)\s*\(?\s*'(@sluice\/[\w-]+)/g)]
    .filter(([, other = '']) => dependencies.get(name)?.has(other) !== true)
    .map(([, other = '']) => `${path} imports ${other}, which its package does not depend on`)
  return [...past, ...undeclared]
}

function orderBreaches(path: string, text: string): readonly string[] {
  if (orders[packageOf(path)] === undefined) return []
  const rank = folderOf(path) === '.' ? Number.POSITIVE_INFINITY : rankOf(path)
  if (rank === undefined) return [`${path} is in a folder without a place in the order`]
  return importsOf(path, text)
    .filter((to) => packageOf(to) === packageOf(path) && (rankOf(to) ?? 0) > rank)
    .map((to) => `${path} imports ${to}, which is not below it`)
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

/** The most files in a chain of imports of values. Lower it when the longest chain gets shorter; never raise it. */
export const chainMax = 24

/**
 * The longest chain of files of which each imports a value from the next, over all packages. What is imported with
 * `import(…)` is read later and does not count.
 */
export function longestChain(sources: Sources): readonly string[] {
  const known = new Map<string, readonly string[]>()
  const chainFrom = (path: string): readonly string[] => {
    const found = known.get(path)
    if (found !== undefined) return found
    const chains = valueImportsOf(path, sources.get(path) ?? '')
      .filter((to) => sources.has(to))
      .map(chainFrom)
    const chain = [path, ...longestOf(chains)]
    known.set(path, chain)
    return chain
  }
  return longestOf([...sources.keys()].map(chainFrom))
}

function longestOf(chains: readonly (readonly string[])[]): readonly string[] {
  return chains.reduce((longest, chain) => (chain.length > longest.length ? chain : longest), [])
}

/** The files that a file imports values from or exports again. */
function valueImportsOf(path: string, text: string): readonly string[] {
  const statements = text.matchAll(
    /^(?:import|export)\s+(?!type\b)(?:([\w\s{},*$]+?)\s+from\s+)?'(\.|@sluice\/)([^']+)'/gm,
  )
  return [...statements].flatMap(([, names = '', place = '', rest = '']) => {
    const listed = /^\{([^}]*)\}$/.exec(names)?.[1]?.split(',') ?? []
    const isTypes = listed.length > 0 && listed.every((name) => /^\s*(?:type\s|$)/.test(name))
    if (isTypes) return []
    if (place === '.') return [normalize(join(dirname(path), `.${rest}`)).replaceAll(sep, '/')]
    return [rest.includes('/') ? rest : `${rest}/index.ts`]
  })
}

/** Files shared by several providers; every other file in the folder is one provider. */
const providerParts: ReadonlySet<string> = new Set([
  'gateway/providers/provider.ts',
  'gateway/providers/compatible.ts',
  'gateway/providers/aws-signature.ts',
  'gateway/providers/google-access.ts',
  'gateway/providers/retirements.ts',
])

/** A provider is data in a short file and must not import another provider. */
function providerBreaches(path: string, text: string): readonly string[] {
  if (!/^gateway\/providers\/[\w-]+\.ts$/.test(path)) return []
  if (/\/(?:index|catalogue)\.ts$/.test(path) || providerParts.has(path)) return []
  const lines = text.split('\n').length
  const others = importsOf(path, text).filter(
    (to) => /^gateway\/providers\/[\w-]+\.ts$/.test(to) && !providerParts.has(to),
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
  const isAdmission = path.startsWith('gateway/admit/')
  return !isAdmission && text.includes('AdmittedCall') ? [`${path} lets a call in`] : []
}

/** Fields that only some client formats or upstreams have. Where they are is for protocols to know. */
const shapes =
  /\b(?:generationConfig|systemInstruction|candidates|functionCall|finishReason|max(?:_completion|_output)?_tokens|stream_options|previous_response_id|stop_reason|content_block|tool_use|tool_calls|partial_json|reasoning_content|encrypted_content)\b/
const vendors =
  /['"`](?:openai|anthropic|claude|gemini|google|vertex|azure|bedrock|amazon|mistral|cohere|xai|alibaba|dashscope)\b/

/** The gateway and what observes it know neither fields of formats nor vendors: both are data of protocols and providers. */
function shapeBreaches(path: string, text: string): readonly string[] {
  if (
    !/^(?:gateway\/(?!providers\/|prices\/|ai-sdk\/|settings\/|accounts\/)|sluice\/telemetry\/)/.test(
      path,
    )
  )
    return []
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
