import { GatewayError, invalidRequest } from '@sluice/contract'
import { administer } from '../../accounts/administer.ts'
import type { Config } from '../../config/config.ts'
import { ConfigError } from '../../config/config-error.ts'
import type { Change, Section, SectionFile, Written } from '../../config/section.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import type { Exchange } from '../address.ts'

/** The changes that a new version of a section would make. */
export interface PlannedSection {
  readonly section: Section
  readonly file: SectionFile
  readonly changes: readonly Change[]
  /** The text of the whole file. */
  readonly text: string
  readonly config: Config
}

// The YAML reader is loaded on first use.
const sections = () => import('../../config/section.ts')

/** The section as it is currently written. */
export async function readWritten({ settings }: Gateway, section: Section): Promise<SectionFile> {
  const { readSection } = await sections()
  return named(section, () => readSection(settings.config(), section))
}

/** Converts a configuration error to an error of the request field that caused it. */
function named<Result>(section: Section, work: () => Result): Result {
  try {
    return work()
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown
    const [first = ''] = thrown.message.split('\n')
    const said = first.replace(/^.*?:\d+:\d+: /, '')
    const [place = ''] = said.split(/:? /)
    throw invalidRequest(said, place.startsWith(section) ? place : section)
  }
}

/**
 * Computes what would change if the section were replaced; nothing is changed.
 *
 * @throws invalid_request with the path of the invalid field.
 */
export async function planSection(
  gateway: Gateway,
  section: Section,
  wanted: (written: Written) => Written,
): Promise<PlannedSection> {
  const { changesBetween, configOf, newReference, textWith } = await sections()
  const file = await readWritten(gateway, section)
  const after = wanted(file.written)
  const added = newReference(file.written, after)
  if (added !== undefined)
    throw invalidRequest(
      `${JSON.stringify(added.slice(0, 100))} refers to a variable: add it to the settings file by hand`,
      section,
    )
  const changes = changesBetween(file.written, after)
  const text = named(section, () => textWith(file.text, section, changes))
  const config = named(section, () => configOf(gateway.settings.config(), text))
  return { section, file, changes, text, config }
}

/** Writes a planned change and applies it at once. Returns the etag of the new text. */
export async function applySection(
  { gateway, key }: Exchange,
  { section, file, changes, text, config }: PlannedSection,
  known: string | undefined,
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
  const { replaceFile } = await import('../../config/edit.ts')
  replaceFile(config.configFile, text)
  try {
    await gateway.settings.configure(config)
    await administer({ store: gateway.store, actor: key.id, at: gateway.now() }, () => ({
      action: section === 'models' ? 'routes.change' : 'providers.change',
      target: section,
      before: sideOf(changes, 'before'),
      after: sideOf(changes, 'after'),
      writes: [],
      result: undefined,
    }))
  } catch (thrown) {
    // A change that cannot be recorded in the audit log is rolled back.
    replaceFile(config.configFile, file.text)
    await gateway.settings.configure((await sections()).configOf(config, file.text))
    throw thrown
  }
  return (await readWritten(gateway, section)).etag
}

function sideOf(changes: readonly Change[], side: 'before' | 'after') {
  return Object.fromEntries(changes.map((change) => [change.name, change[side]]))
}
