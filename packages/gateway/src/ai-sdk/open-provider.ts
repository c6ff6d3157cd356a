import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { GatewayError, isObject } from '@sluice/contract'
import type { AiSdkProvider } from './context.ts'
import type { ProviderV4 } from './model.ts'
import { operationsOf } from './operations.ts'

/** A provider of the AI SDK (https://ai-sdk.dev/providers), which the user has installed. */
export interface AiSdkOptions {
  /** The installed package, such as `@ai-sdk/luma`. */
  readonly package: string
  /** The function that creates the provider, such as `createLuma`; default: the package's only `create…`. */
  readonly export?: string
  /** Options for that function: `apiKey`, `baseURL`, `headers`, `fetch` and whatever else the package accepts. */
  readonly options: Readonly<Record<string, unknown>>
  /** Default: import from the folder the process was started in, otherwise from Sluice's own packages. */
  readonly importModule?: (name: string) => Promise<unknown>
}

/**
 * Opens an AI SDK provider package installed by the user as an upstream: an optional way to reach providers without a protocol
 * here. Throws `upstream_unavailable` if the package is not installed or is not a provider.
 */
export async function openAiSdkProvider({
  package: name,
  export: wanted,
  options,
  importModule = importFromProject,
}: AiSdkOptions): Promise<AiSdkProvider> {
  const module = await importModule(name).catch((cause: unknown) => {
    throw new GatewayError('upstream_unavailable', `The package ${name} is not installed`, {
      cause,
    })
  })
  const create = creatorIn(module, wanted)
  if (create === undefined)
    throw new GatewayError(
      'upstream_unavailable',
      `The package ${name} has no function ${wanted ?? 'create…'} that makes a provider`,
    )
  const made = create(options)
  if (!isProvider(made))
    throw new GatewayError('upstream_unavailable', `The package ${name} made no provider`)
  return operationsOf(made)
}

type Create = (options: unknown) => unknown

function creatorIn(module: unknown, wanted: string | undefined): Create | undefined {
  if (typeof module !== 'object' || module === null) return undefined
  const isWanted = (name: string) =>
    wanted === undefined ? /^create[A-Z]/.test(name) : name === wanted
  return Object.entries(module)
    .filter(([name]) => isWanted(name))
    .map(([, value]: [string, unknown]) => value)
    .find(isCreate)
}

function isCreate(value: unknown): value is Create {
  return typeof value === 'function'
}

/** Whether it may be a provider, which can be a function itself; the version of each model is checked when it is used. */
function isProvider(made: unknown): made is ProviderV4 {
  return typeof made === 'function' || isObject(made)
}

async function importFromProject(name: string): Promise<unknown> {
  const require = createRequire(join(process.cwd(), 'package.json'))
  try {
    return await import(pathToFileURL(require.resolve(name)).href)
  } catch {
    return import(name)
  }
}
