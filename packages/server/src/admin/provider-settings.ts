import { invalidRequest, isObject } from '@sluice/contract'
import { Type } from 'typebox'
import { isDeepStrictEqual } from 'node:util'
import { hidden } from '@sluice/gateway/settings/shown-url.ts'
import { providerFields } from '@sluice/gateway/settings/schema-provider.ts'
import type { Change, Written } from '@sluice/gateway/route/setting-sections.ts'
import { addressOf, endpoint, owners, wholeReaders } from '../endpoint.ts'
import {
  anyObject,
  anything,
  described,
  flag,
  integer,
  list,
  object,
  text,
  words,
} from '../shapes.ts'
import { closed } from './schemas.ts'

const tag = 'Operation'
const path = '/admin/v1/provider-settings'
const settingsOfOne = Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], {
  description:
    'The fields of a provider as in sluice.yaml, but without references to variables and names of files. Fields that are left out stay as they are, and null removes one. If a field changes where the key is sent, the key is given again. Null instead of fields removes the provider.',
})
const providers = Type.Record(Type.String({ minLength: 1 }), settingsOfOne, {
  description: 'The changes, by the name of the provider. Other providers stay as they are.',
})
const etag = Type.String({
  description:
    'The etag that was read. The change is rejected if the providers have changed since.',
})
const setting = described(anything, 'Without secrets. Null if it does not exist.')
const changes = list(
  object({
    provider: text,
    change: words(['added', 'changed', 'removed']),
    before: setting,
    after: setting,
  }),
)
const example = { acme: { type: 'openai', baseUrl: 'https://api.acme.example/v1', key: 'sk-acme' } }

/** Reads, plans and applies changes of the providers that are kept in the database. */
export const providerEndpoints = {
  get: endpoint({
    method: 'GET',
    path,
    access: wholeReaders,
    operationId: 'getProviderSettings',
    summary: 'Get the providers that are kept in the database, without their secrets',
    tag,
    reply: object({
      providers: described(
        anyObject,
        'By name; null if the settings cannot be decrypted with the keys in SLUICE_ENCRYPTION_KEY.',
      ),
      declared: described(
        list(text),
        'The names that sluice.yaml or the environment have: they are changed there.',
      ),
      etag: text,
      file: text,
      isSealing: described(
        flag,
        'Whether there is an encryption key, without which none is stored.',
      ),
    }),
    async answer(_, { gateway }) {
      const { sections } = gateway.settings
      const { stored, declared, fromEnvironment, etag: known } = await sections.read('providers')
      return {
        providers: stored,
        declared: [...Object.keys(declared), ...fromEnvironment],
        etag: known,
        file: sections.file,
        isSealing: sections.isSealing,
      }
    },
  }),
  plan: endpoint({
    method: 'POST',
    path: `${path}/plan`,
    access: owners,
    operationId: 'planProviderSettings',
    summary: 'Tell what a change of providers would do, without changing anything',
    tag,
    body: closed({ providers }),
    example: { providers: example },
    reply: object({
      etag: text,
      changes,
      yaml: described(
        text,
        'The changed providers, for those who would rather declare them; secrets as references to variables.',
      ),
      problems: list(
        object({ provider: text, problem: text }),
        'Providers that would then be off.',
      ),
    }),
    async answer({ body: { providers: asked } }, { gateway }) {
      const planned = await gateway.settings.sections.plan('providers', wantedBy(asked))
      const { known } = await planned.routing()
      const shown = planned.changes.map(shownChange)
      const added = shown.flatMap(({ provider, after }) =>
        after === null ? [] : [[provider, after] as const],
      )
      return {
        etag: planned.etag,
        changes: shown,
        yaml: await planned.yamlOf(
          Object.fromEntries(added.map(([name, value]) => [name, declarable(value, [name])])),
        ),
        problems: added.flatMap(([provider]) => {
          const problem = known.whyOff(provider)
          return problem === undefined ? [] : [{ provider, problem }]
        }),
      }
    },
  }),
  apply: endpoint({
    method: 'PUT',
    path,
    access: owners,
    operationId: 'applyProviderSettings',
    summary:
      'Add, change or remove providers in the database, and take them up at once on all replicas',
    tag,
    body: closed({ providers, etag }),
    example: { providers: example, etag: 'Zm9v' },
    reply: object({ etag: text, changes }),
    async answer({ body: { providers: asked, etag: known } }, { gateway, key }) {
      const planned = await gateway.settings.sections.plan('providers', wantedBy(asked))
      return {
        etag: await planned.apply({ actor: key, known }),
        changes: planned.changes.map(shownChange),
      }
    },
  }),
  reseal: endpoint({
    method: 'POST',
    path: `${path}/reseal`,
    access: owners,
    operationId: 'resealProviderSettings',
    summary: 'Encrypt all providers in the database with the newest encryption key',
    tag,
    reply: object({
      encrypted: described(integer, 'How many had been encrypted with another key.'),
    }),
    answer: async (_, { gateway, key }) => ({
      encrypted: await gateway.settings.sections.reseal(key),
    }),
  }),
}

export const providerSettingsAddresses = Object.values(providerEndpoints).map(addressOf)

/** What is to be stored after the changes. */
function wantedBy(asked: Readonly<Record<string, Written | null>>) {
  return (stored: Written): Written => {
    const wanted = new Map(Object.entries(stored))
    for (const [name, given] of Object.entries(asked)) {
      if (given === null) wanted.delete(name)
      else wanted.set(name, merged(name, wanted.get(name), given))
    }
    return Object.fromEntries(wanted)
  }
}

function merged(name: string, before: unknown, given: Written): Written {
  const old = isObject(before) ? before : {}
  const isKeyGiven = isSet(given['key']) || isSet(given['keys'])
  const kept = isKeyGiven ? { ...old, key: null, keys: null } : old
  const after = Object.fromEntries(
    Object.entries({ ...kept, ...given }).filter(([, value]) => isSet(value)),
  )
  const moved = Object.keys({ ...old, ...after }).find(
    (field) => decides(field) === 'address' && !isDeepStrictEqual(old[field], after[field]),
  )
  if (moved !== undefined && !isKeyGiven && (isSet(after['key']) || isSet(after['keys'])))
    throw invalidRequest(
      `The key must be given again, because ${moved} changes where it is sent`,
      `providers.${name}.key`,
    )
  if (moved !== undefined && isSet(after['headers']) && !isSet(given['headers']))
    throw invalidRequest(
      `The headers must be given again, because ${moved} changes where they are sent`,
      `providers.${name}.headers`,
    )
  return after
}

/** A value with references to variables in place of what is hidden, such as `${ACME_KEY}`. */
function declarable(value: unknown, path: readonly string[]): unknown {
  if (typeof value === 'string' && value.includes(hidden))
    return `\${${path
      .join('_')
      .toUpperCase()
      .replaceAll(/[^A-Z0-9]/g, '_')}}`
  if (Array.isArray(value)) return value.map((item, at) => declarable(item, [...path, String(at)]))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, declarable(item, [...path, name])]),
  )
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** Unknown fields are refused later, by the schema. */
function decides(field: string): string {
  return Object.hasOwn(providerFields, field)
    ? providerFields[field as keyof typeof providerFields]
    : 'address'
}

function shownChange({ name: provider, ...change }: Change) {
  return { provider, ...change }
}
