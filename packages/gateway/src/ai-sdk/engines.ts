import { GatewayError } from '@sluice/contract'
import type { Engine, EngineContext } from '@sluice/engine'
import type { Settings } from '../settings/settings.ts'
import type { ProviderConfig } from '../settings/schema-provider.ts'
import type { AiSdkContext, AiSdkProvider } from './context.ts'

/**
 * The configured providers of type `ai-sdk`. Such a package makes its own connections, so it runs like an engine in this
 * process. It is imported at its first call; if that fails, the next call tries again.
 */
export function aiSdkEngines({
  providers,
}: Pick<Settings, 'providers'>): ReadonlyMap<string, () => Promise<Engine>> {
  return new Map(
    Object.entries(providers).flatMap(([id, settings]) => {
      const { type, enabled, package: name } = settings
      return type === 'ai-sdk' && enabled !== false && name !== undefined
        ? [[id, onceOpened(() => open(name, settings))] as const]
        : []
    }),
  )
}

function onceOpened(open: () => Promise<Engine>): () => Promise<Engine> {
  let opened: Promise<Engine> | undefined
  return async () => {
    opened ??= open()
    try {
      return await opened
    } catch (error) {
      opened = undefined
      throw error
    }
  }
}

async function open(name: string, settings: ProviderConfig): Promise<Engine> {
  const { openAiSdkProvider } = await import('./open-provider.ts')
  return asEngine(await openAiSdkProvider({ package: name, options: optionsOf(settings) }))
}

/** Settings that AI SDK packages have in common, and the settings under their own names. */
function optionsOf(settings: ProviderConfig): Readonly<Record<string, unknown>> {
  const { key, keys, baseUrl, headers, region, project, location, apiVersion } = settings
  const options = {
    apiKey: key ?? keys?.[0],
    baseURL: baseUrl,
    headers,
    region,
    project,
    location,
    apiVersion,
  }
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

function asEngine(provider: AiSdkProvider): Engine {
  return Object.fromEntries(
    Object.entries(provider).map(([name, run]) => {
      const operation = run as (request: never, context: AiSdkContext) => Promise<unknown>
      return [
        name,
        (request: never, context: EngineContext) => operation(request, adapted(context)),
      ]
    }),
  )
}

function adapted(context: EngineContext): AiSdkContext {
  const { model, signal, now, newId, fetchMedia } = context
  return {
    model,
    upstreamModel: context.target ?? model,
    signal,
    now,
    newId,
    fetchMedia,
    unsupported: context.unsupported ?? refuse,
    leftOut: context.leftOut ?? (() => {}),
  }
}

function refuse(param: string): never {
  throw new GatewayError('unsupported_parameter', `'${param}' is not supported by this model`, {
    param,
  })
}
