import { invalidRequest, isObject } from '@sluice/contract'
import { Type } from 'typebox'
import type { Change, Written } from '@sluice/gateway/route/settings-file.ts'
import { addressOf, changers, endpoint, wholeReaders } from '../endpoint.ts'
import { anyObject, anything, described, flag, list, object, text, words } from '../shapes.ts'
import { closed } from './schemas.ts'

/**
 * The settings that may be changed at run time: how much of a provider is used, and how. The address and keys of a provider
 * are only set in the file and the environment, because whoever sets the address receives the key.
 */
const editable = [
  'enabled',
  'models',
  'maxConcurrent',
  'queueLength',
  'queueMs',
  'whenFull',
  'timeouts',
  'unsupported',
] as const

const tag = 'Operation'
const path = '/admin/v1/provider-settings'
const providers = Type.Record(
  Type.String({ minLength: 1 }),
  Type.Record(Type.String(), Type.Unknown()),
  {
    description: `By the name of a provider all of its settings among ${editable.join(', ')}, as in sluice.yaml: what is left out is not set any more. A provider that is left out stays as it is.`,
  },
)
const etag = Type.String({ description: 'As it was read: nobody may have changed the file since.' })
const setting = described(
  anything,
  'As it stands in sluice.yaml, without what cannot be changed here.',
)
const changes = list(
  object({
    provider: text,
    change: words(['added', 'changed']),
    before: setting,
    after: setting,
  }),
)
const example = { openai: { maxConcurrent: 50, timeouts: { firstTokenMs: 20_000 } } }

/** Reads, plans and applies changes of provider settings. */
const endpoints = {
  get: endpoint({
    method: 'GET',
    path,
    access: wholeReaders,
    operationId: 'getProviderSettings',
    summary:
      'Get the settings of providers that can be changed, as they are written in sluice.yaml',
    tag,
    reply: object({ providers: anyObject, etag: text, file: text, isWritable: flag }),
    async answer(_, { gateway }) {
      const { file } = gateway.settings
      const { written, etag: known, isWritable } = await file.read('providers')
      return {
        providers: Object.fromEntries(
          Object.entries(written).map(([name, value]) => [name, editableOf(value)]),
        ),
        etag: known,
        file: file.path,
        isWritable,
      }
    },
  }),
  plan: endpoint({
    method: 'POST',
    path: `${path}/plan`,
    access: changers,
    operationId: 'planProviderSettings',
    summary: 'Tell what other settings of providers would change, without changing anything',
    tag,
    body: closed({ providers }),
    example: { providers: example },
    reply: object({
      etag: text,
      isWritable: flag,
      changes,
      yaml: described(text, 'What is to stand in the file of those that would change.'),
      problems: list(
        object({ provider: text, problem: text }),
        'Providers that would then be off.',
      ),
    }),
    async answer({ body: { providers: asked } }, { gateway }) {
      const planned = await gateway.settings.file.plan('providers', wantedBy(asked))
      const { known } = await planned.routing()
      const shown = planned.changes.map(shownChange)
      return {
        etag: planned.file.etag,
        isWritable: planned.file.isWritable,
        changes: shown,
        yaml: planned.yamlOf(
          Object.fromEntries(shown.map(({ provider, after }) => [provider, after])),
        ),
        problems: Object.keys(asked).flatMap((provider) => {
          const problem = known.whyOff(provider)
          return problem === undefined ? [] : [{ provider, problem }]
        }),
      }
    },
  }),
  apply: endpoint({
    method: 'PUT',
    path,
    access: changers,
    operationId: 'applyProviderSettings',
    summary:
      'Replace settings of providers in sluice.yaml, whose comments stay, and take them up at once',
    tag,
    body: closed({ providers, etag }),
    example: { providers: example, etag: 'Zm9v' },
    reply: object({ etag: text, changes }),
    async answer({ body: { providers: asked, etag: known } }, { gateway, key }) {
      const planned = await gateway.settings.file.plan('providers', wantedBy(asked))
      // Readers of the audit log may not be allowed to read keys.
      const logged = planned.changes.map(withoutKeys)
      return {
        etag: await planned.apply({ actor: key, known, logged }),
        changes: planned.changes.map(shownChange),
      }
    },
  }),
}

export const providerSettingsAddresses = Object.values(endpoints).map(addressOf)

/** All written provider settings, with the editable fields replaced by the requested ones. */
function wantedBy(asked: Readonly<Record<string, Written>>) {
  return (written: Written): Written => {
    const changed = Object.entries(asked).flatMap(([name, settings]) => {
      for (const field of Object.keys(settings))
        if (!isEditable(field))
          throw invalidRequest(
            `'${field}' stands in the settings file alone: only ${editable.join(', ')} are changed here`,
            `providers.${name}.${field}`,
          )
      const before = Object.hasOwn(written, name) ? written[name] : undefined
      if (before === undefined && Object.keys(settings).length === 0) return []
      const kept = Object.entries(isObject(before) ? before : {}).filter(
        ([field]) => !isEditable(field) || Object.hasOwn(settings, field),
      )
      return [[name, { ...Object.fromEntries(kept), ...settings }] as const]
    })
    return { ...written, ...Object.fromEntries(changed) }
  }
}

function isEditable(field: string): boolean {
  return editable.some((name) => name === field)
}

function editableOf(value: unknown): Written {
  if (!isObject(value)) return {}
  return Object.fromEntries(Object.entries(value).filter(([field]) => isEditable(field)))
}

function withoutKeys({ before, after, ...change }: Change): Change {
  return {
    ...change,
    before: before === null ? null : editableOf(before),
    after: editableOf(after),
  }
}

function shownChange(change: Change) {
  const { name: provider, ...rest } = withoutKeys(change)
  // No provider is removed here.
  const kind = rest.change === 'added' ? ('added' as const) : ('changed' as const)
  return { provider, ...rest, change: kind }
}
