import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { GatewayError, isObject, type OperationName } from '@sluice/contract'
import type { AiSdkContext, AiSdkProvider } from './context.ts'
import { aiSdkError } from './errors.ts'
import type { ProviderV4 } from './model.ts'
import { operationsOf } from './operations.ts'

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
  const made: unknown = create(options)
  if (typeof made !== 'function' && !isObject(made))
    throw new GatewayError('upstream_unavailable', `The package ${name} made no provider`)
  // The package promises ProviderV4; each model's version is checked when it is used.
  return translatingErrors(operationsOf(made as ProviderV4))
}

type Create = (options: unknown) => unknown

function creatorIn(module: unknown, wanted: string | undefined): Create | undefined {
  if (typeof module !== 'object' || module === null) return undefined
  const functions = Object.entries(module).filter(([, value]) => typeof value === 'function')
  const found =
    wanted === undefined
      ? functions.find(([name]) => /^create[A-Z]/.test(name))
      : functions.find(([name]) => name === wanted)
  return found?.[1] as Create | undefined
}

function translatingErrors(provider: AiSdkProvider): AiSdkProvider {
  return Object.fromEntries(
    Object.entries(provider).map(([name, run]) => {
      const operation = run as (request: never, context: AiSdkContext) => Promise<unknown>
      const translated = async (request: never, context: AiSdkContext) => {
        try {
          return await operation(request, context)
        } catch (thrown) {
          throw aiSdkError(thrown)
        }
      }
      return [name as OperationName, translated]
    }),
  )
}

async function importFromProject(name: string): Promise<unknown> {
  const require = createRequire(join(process.cwd(), 'package.json'))
  try {
    return await import(pathToFileURL(require.resolve(name)).href)
  } catch {
    return import(name)
  }
}
