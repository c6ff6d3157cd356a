import { engineCard } from '@sluice/engine'
import { providers } from '@sluice/gateway/providers/index.ts'
import type { ProviderConfig } from '@sluice/gateway/settings/schema-provider.ts'

/** A provider of sluice.yaml before it has a name; its values may contain references to variables. */
export type ProviderDraft = {
  readonly [Field in keyof ProviderConfig]?: ProviderConfig[Field] | undefined
}

type ModelEntry = Exclude<NonNullable<ProviderConfig['models']>[number], string>

/** The providers of an import: what has the same address, key and place is one. */
export class ProviderDrafts {
  readonly #names = new Map<string, string>()
  readonly #drafts = new Map<string, ProviderDraft>()
  readonly #models = new Map<string, Map<string, ModelEntry>>()

  /** The name of this provider, given it now or when the same was added before. */
  add(draft: ProviderDraft): string {
    const identity = JSON.stringify(
      Object.entries(draft).toSorted(([one], [other]) => one.localeCompare(other)),
    )
    const known = this.#names.get(identity)
    if (known !== undefined) return known
    const name = this.#freeName(draft)
    this.#names.set(identity, name)
    this.#drafts.set(name, draft)
    return name
  }

  /**
   * Adds a model of a provider, and what is known of it. The models are listed if something is known of one of them: a list
   * replaces that of the provider.
   */
  describeModel(provider: string, entry: ModelEntry): void {
    const models = this.#models.get(provider) ?? new Map<string, ModelEntry>()
    models.set(entry.id, { ...models.get(entry.id), ...entry })
    this.#models.set(provider, models)
  }

  /** As sluice.yaml has them. */
  settings(): Readonly<Record<string, ProviderDraft>> {
    return Object.fromEntries(
      [...this.#drafts].map(([name, { kind, ...draft }]) => {
        const models = this.#models.get(name)
        return [
          name,
          {
            ...(kind !== undefined && kind !== name && { kind }),
            ...draft,
            ...(models && { models: listed([...models.values()]) }),
          },
        ]
      }),
    )
  }

  #freeName(draft: ProviderDraft): string {
    const usual = draft.kind ?? ownName(draft)
    const { region, project } = draft
    // A server of one's own has the name of its host already.
    const host = draft.kind === undefined ? undefined : hostLabel(draft.baseUrl)
    const wanted = [
      usual,
      ...[region, host, project].map((part) => part && asName(`${usual}-${part}`)),
    ]
    const free = wanted.find((name) => name !== undefined && name !== '' && !this.#drafts.has(name))
    if (free !== undefined) return free
    for (let number = 2; ; number++)
      if (!this.#drafts.has(`${usual}-${number}`)) return `${usual}-${number}`
  }
}

function listed(models: readonly ModelEntry[]): ProviderDraft['models'] {
  if (models.every((model) => Object.keys(model).length === 1)) return undefined
  return models.map((model) => (Object.keys(model).length === 1 ? model.id : model))
}

/** The name of a server that is in no catalogue, after its host. */
function ownName({ baseUrl }: ProviderDraft): string {
  const label = asName(hostLabel(baseUrl) ?? '')
  if (label === '' || label === engineCard.id) return 'own-server'
  return providers.has(label) ? `${label}-server` : label
}

/** The telling part of a host: `gpu-1` of `gpu-1.internal`, `acme` of `api.acme.example`, and an address as it is. */
function hostLabel(baseUrl: string | undefined): string | undefined {
  if (baseUrl === undefined || !URL.canParse(baseUrl))
    return /\$\{(\w+?)(?:_(?:API_)?(?:BASE|URL|BASE_URL))?\}/.exec(baseUrl ?? '')?.[1]
  const { hostname } = new URL(baseUrl)
  if (/^[\d.]+$|^\[|^localhost$/.test(hostname)) return hostname
  const labels = hostname.split('.')
  return labels.find((label) => !/^(?:api|www|llm|inference|openai)$/.test(label)) ?? labels[0]
}

function asName(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+|-+$/g, '')
}
