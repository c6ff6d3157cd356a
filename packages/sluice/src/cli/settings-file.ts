import { GatewayError, invalidRequest } from '@sluice/contract'
import { administer } from '@sluice/gateway/accounts/administer.ts'
import type { Config } from '../config/config.ts'
import { ConfigError } from '../config/config-error.ts'
import { sourcedSettings } from './setting-sources.ts'
import type { Routing } from '@sluice/gateway/route/routing.ts'
import type {
  Applying,
  Change,
  PlannedSection,
  Section,
  SectionFile,
  SettingsFile,
  Written,
} from '@sluice/gateway/route/settings-file.ts'
import type { Store } from '@sluice/gateway/ports/store.ts'

interface Needs {
  readonly config: () => Config
  readonly configure: (next: Config) => Promise<void>
  readonly routing: () => Routing
  /** The routing that another configuration would result in; nothing is changed. */
  readonly routingOf: (next: Config) => Promise<Routing>
  readonly store: Store
  readonly now: () => number
}

// The YAML reader is loaded on first use.
const sections = () => import('../config/section.ts')

/** The settings file of a running gateway. A change of it is applied at once and recorded in the audit log. */
export function openSettingsFile(needs: Needs): SettingsFile {
  return {
    path: needs.config().configFile,
    read: (section) => readWritten(needs, section),
    plan: (section, wanted) => planSection(needs, section, wanted),
    shown: () => sourcedSettings(needs.config(), needs.routing().upstreams.values()),
  }
}

/** The section as it is currently written. */
async function readWritten({ config }: Needs, section: Section): Promise<SectionFile> {
  const { readSection } = await sections()
  return named(section, () => readSection(config(), section))
}

/** Converts a configuration error to an error of the request field that caused it. */
function named<Result>(section: Section, work: () => Result): Result {
  try {
    return work()
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown
    const [first = ''] = thrown.message.split('\n')
    const message = first.replace(/^.*?:\d+:\d+: /, '')
    const [place = ''] = message.split(/:? /)
    throw invalidRequest(message, place.startsWith(section) ? place : section)
  }
}

async function planSection(
  needs: Needs,
  section: Section,
  wanted: (written: Written) => Written,
): Promise<PlannedSection> {
  const { changesBetween, configOf, newReference, textWith, yamlOf } = await sections()
  const file = await readWritten(needs, section)
  const after = wanted(file.written)
  const added = newReference(file.written, after)
  if (added !== undefined)
    throw invalidRequest(
      `${JSON.stringify(added.slice(0, 100))} refers to a variable: add it to the settings file by hand`,
      section,
    )
  const changes = changesBetween(file.written, after)
  const text = named(section, () => textWith(file.text, section, changes))
  const config = named(section, () => configOf(needs.config(), text))
  return {
    file,
    changes,
    routing: () => needs.routingOf(config),
    yamlOf: (entries) => yamlOf(section, entries),
    apply: (by) => applySection(needs, { section, file, changes, text, config }, by),
  }
}

interface ChangedFile extends Pick<PlannedSection, 'file' | 'changes'> {
  readonly section: Section
  /** The text of the whole file. */
  readonly text: string
  readonly config: Config
}

async function applySection(
  needs: Needs,
  { section, file, changes, text, config }: ChangedFile,
  { actor, known, logged = changes }: Applying,
): Promise<string> {
  if (file.etag !== known)
    throw new GatewayError('conflict', 'The settings file has changed since: look at it again', {
      param: 'etag',
    })
  if (changes.length === 0) return file.etag
  if (!file.isWritable)
    throw new GatewayError(
      'conflict',
      'The settings file cannot be written by the gateway: put the `yaml` of the plan into it',
    )
  const { replaceFile } = await import('../config/edit.ts')
  replaceFile(config.configFile, text)
  try {
    await needs.configure(config)
    await administer({ store: needs.store, actor: actor.id, at: needs.now() }, () => ({
      action: section === 'models' ? 'routes.change' : 'providers.change',
      target: section,
      before: sideOf(logged, 'before'),
      after: sideOf(logged, 'after'),
      writes: [],
      result: undefined,
    }))
  } catch (thrown) {
    // A change that cannot be recorded in the audit log is rolled back.
    replaceFile(config.configFile, file.text)
    await needs.configure((await sections()).configOf(config, file.text))
    throw thrown
  }
  return (await readWritten(needs, section)).etag
}

function sideOf(changes: readonly Change[], side: 'before' | 'after') {
  return Object.fromEntries(changes.map((change) => [change.name, change[side]]))
}
