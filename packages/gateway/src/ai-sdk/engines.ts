import type { RoutedEngine } from '@sluice/engine'
import type { Settings } from '../settings/settings.ts'
import type { ProviderConfig } from '../settings/schema-provider.ts'

/**
 * The configured providers of type `ai-sdk`. Such a package makes its own connections, so it runs like an engine in this
 * process. It is imported at its first call; if that fails, the next call tries again.
 */
export function aiSdkEngines({
  providers,
}: Pick<Settings, 'providers'>): ReadonlyMap<string, () => Promise<RoutedEngine>> {
  return new Map(
    Object.entries(providers).flatMap(([id, settings]) => {
      const { type, enabled, package: name } = settings
      return type === 'ai-sdk' && enabled !== false && name !== undefined
        ? [[id, onceOpened(() => open(name, settings))] as const]
        : []
    }),
  )
}

function onceOpened(open: () => Promise<RoutedEngine>): () => Promise<RoutedEngine> {
  let opened: Promise<RoutedEngine> | undefined
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

async function open(name: string, settings: ProviderConfig): Promise<RoutedEngine> {
  const { openAiSdkProvider } = await import('./open-provider.ts')
  return openAiSdkProvider({ package: name, options: optionsOf(settings) })
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
