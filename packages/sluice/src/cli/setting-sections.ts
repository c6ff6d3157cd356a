import { hash } from 'node:crypto'
import { GatewayError, invalidRequest } from '@sluice/contract'
import { administer, type State } from '@sluice/gateway/accounts/administer.ts'
import type { Store } from '@sluice/gateway/ports/store.ts'
import type { SettingWrite, StoredSetting } from '@sluice/gateway/ports/stored-settings.ts'
import type { Routing } from '@sluice/gateway/route/routing.ts'
import type {
  Change,
  PlannedSection,
  Section,
  SectionRead,
  SettingSections,
  Written,
} from '@sluice/gateway/route/setting-sections.ts'
import type { Config } from '../config/config.ts'
import { ConfigError } from '../config/config-error.ts'
import {
  checked,
  declaredNames,
  type OpenedSettings,
  placeOf,
  withStored,
} from '../config/stored.ts'
import { maskedChange, maskedSection } from '../config/masked-settings.ts'
import type { LayeredSettings } from './layered-settings.ts'
import { sourcedSettings } from './setting-sources.ts'

interface Needs {
  readonly layers: LayeredSettings
  readonly config: () => Config
  readonly routing: () => Routing
  /** The routing that another configuration would result in; nothing is changed. */
  readonly routingOf: (next: Config) => Promise<Routing>
  readonly store: Store
  readonly now: () => number
}

// The YAML reader is loaded on first use.
const written = () => import('../config/section.ts')

/** The settings of a running gateway, of which administrators change those that are in the database. */
export function openSettingSections(needs: Needs): SettingSections {
  const { layers } = needs
  return {
    file: layers.base.configFile,
    isSealing: layers.sealing.isPossible,
    read: (section) => readSection(needs, section),
    plan: (section, wanted) => planSection(needs, section, wanted),
    reseal: (actor) => reseal(needs, actor.id),
    shown: () => sourcedSettings(needs.config(), needs.routing().upstreams.values()),
  }
}

async function readSection(needs: Needs, section: Section): Promise<SectionRead> {
  const { layers } = needs
  const { stored, declared, etag } = await currentSection(needs, section)
  const names = declaredNames(layers.base)[section]
  return {
    stored: maskedSection(section, stored),
    declared: maskedSection(section, declared),
    fromEnvironment: [...names].filter((name) => !Object.hasOwn(declared, name)),
    etag,
  }
}

/** The section with its secrets. */
async function currentSection(needs: Needs, section: Section) {
  const { layers } = needs
  await layers.reload()
  const declared = await declaredIn(needs, section)
  const opened = layers.opened()
  const stored = section === 'models' ? opened.models : withLocked(opened)
  return { stored, declared, etag: etagOf(section, layers.rows, declared) }
}

/** What cannot be decrypted is null: it can be left as it is, or removed. */
function withLocked({ providers, locked }: OpenedSettings): Written {
  return { ...providers, ...Object.fromEntries(locked.map((name) => [name, null])) }
}

async function declaredIn({ layers }: Needs, section: Section): Promise<Written> {
  const { declaredSection } = await written()
  return declaredSection(layers.base, section)
}

/** Any change of a row changes its version. */
function etagOf(section: Section, rows: readonly StoredSetting[], declared: Written): string {
  const versions = rows
    .filter((row) => row.section === section)
    .map(({ name, version, changedAt }) => [name, version, changedAt])
  return hash('sha256', JSON.stringify([versions, declared]), 'base64url').slice(0, 22)
}

/** Converts a configuration error to an error of the request field that caused it. */
function namedError(section: Section, thrown: unknown): unknown {
  if (!(thrown instanceof ConfigError)) return thrown
  const [message = ''] = thrown.message.split('\n')
  const [place = ''] = message.split(/:? /)
  return invalidRequest(message, place.startsWith(section) ? place : section)
}

async function planSection(
  needs: Needs,
  section: Section,
  wanted: (stored: Written) => Written,
): Promise<PlannedSection> {
  const { layers } = needs
  const { stored, etag } = await currentSection(needs, section)
  const after = wanted(stored)
  const { changesBetween, yamlOf } = await written()
  const changes = changesBetween(stored, after)
  assertChangeable(needs, { section, changes })
  await assertValid(section, changes)
  return {
    etag,
    changes: changes.map((change) => maskedChange(section, change)),
    async routing() {
      const known = Object.entries(after).filter(([, value]) => value !== null)
      const opened = { ...layers.opened(), [section]: Object.fromEntries(known) }
      return needs.routingOf(await withStored(layers.base, opened))
    },
    yamlOf: async (entries) => yamlOf(section, entries),
    apply: (by) => applySection(needs, { section, changes }, by),
  }
}

interface Changing {
  readonly section: Section
  readonly changes: readonly Change[]
}

/** Refuses names that sluice.yaml or the environment declare, and those whose settings would be overwritten unread. */
function assertChangeable({ layers }: Needs, { section, changes }: Changing): void {
  const declared = declaredNames(layers.base)[section]
  for (const { name, change, before } of changes) {
    const param = `${section}.${name}`
    if (declared.has(name) && change !== 'removed')
      throw new GatewayError(
        'conflict',
        `${param} is declared in sluice.yaml or the environment: change it there`,
        { param },
      )
    if (change === 'changed' && before === null)
      throw new GatewayError(
        'conflict',
        `${param} is encrypted with another key than those in SLUICE_ENCRYPTION_KEY: add that key first`,
        { param },
      )
  }
}

async function assertValid(section: Section, changes: readonly Change[]): Promise<void> {
  for (const { name, change, after } of changes)
    if (change !== 'removed')
      try {
        await checked(section, name, after)
      } catch (thrown) {
        throw namedError(section, thrown)
      }
}

async function applySection(
  needs: Needs,
  { section, changes }: Changing,
  { actor, known }: Parameters<PlannedSection['apply']>[0],
): Promise<string> {
  const { layers, store, now } = needs
  const declared = await declaredIn(needs, section)
  const at = now()
  const logged = changes.map((change) => maskedChange(section, change))
  if (section === 'providers' && changes.length > 0) assertSealing(needs)
  await administer({ store, actor: actor.id, at }, (state) => {
    if (etagOf(section, state.settings, declared) !== known)
      throw new GatewayError('conflict', 'The settings have changed since: look at them again', {
        param: 'etag',
      })
    if (changes.length === 0) return { result: undefined }
    return {
      action: section === 'models' ? 'routes.change' : 'providers.change',
      target: section,
      before: sideOf(logged, 'before'),
      after: sideOf(logged, 'after'),
      writes: changes.map((change) => writeOf(needs, { section, change, state, at })),
      result: undefined,
    }
  })
  await layers.reload()
  return etagOf(section, layers.rows, declared)
}

function assertSealing({ layers: { sealing } }: Needs): void {
  if (!sealing.isPossible)
    throw new GatewayError(
      'conflict',
      'Providers can be stored only with an encryption key: set SLUICE_ENCRYPTION_KEY to what openssl rand -base64 32 prints, for all replicas, and start them again',
    )
}

interface Write {
  readonly section: Section
  readonly change: Change
  readonly state: State
  readonly at: number
}

function writeOf(
  { layers: { sealing } }: Needs,
  { section, change: { name, change, after }, state, at }: Write,
): SettingWrite {
  if (change === 'removed') return { removedSetting: { section, name } }
  const before = state.settings.find((row) => row.section === section && row.name === name)
  const text = JSON.stringify(after)
  const document = section === 'models' ? text : sealing.seal(text, placeOf(section, name))
  return {
    setting: { section, name, document, version: (before?.version ?? 0) + 1, changedAt: at },
  }
}

function sideOf(changes: readonly Change[], side: 'before' | 'after') {
  return Object.fromEntries(changes.map((change) => [change.name, change[side]]))
}

async function reseal(needs: Needs, actor: string): Promise<number> {
  assertSealing(needs)
  const { layers, store, now } = needs
  const { sealing } = layers
  const at = now()
  const count = await administer({ store, actor, at }, ({ settings }) => {
    const writes = settings.flatMap((row): readonly SettingWrite[] => {
      if (row.section !== 'providers' || sealing.isNewest(row.document)) return []
      const place = placeOf(row.section, row.name)
      const text = sealing.open(row.document, place)
      if (text === undefined) return []
      const { version } = row
      return [
        {
          setting: {
            ...row,
            document: sealing.seal(text, place),
            version: version + 1,
            changedAt: at,
          },
        },
      ]
    })
    if (writes.length === 0) return { result: 0 }
    const after = { providers: writes.length }
    return {
      action: 'providers.reseal',
      target: 'providers',
      after,
      writes,
      result: writes.length,
    }
  })
  await layers.reload()
  return count
}
