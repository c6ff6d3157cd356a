import { accessSync, constants, existsSync } from 'node:fs'
import { hash } from 'node:crypto'
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { isObject } from '@sluice/contract'
import { isMap, parseDocument, stringify } from 'yaml'
import type { Change, Section, SectionFile, Written } from '@sluice/gateway/route/settings-file.ts'
import { type Config, createConfig } from './config.ts'
import { ConfigError } from './config-error.ts'
import { arrangeItems, type Arranged, removeSetting, setSetting } from './edit.ts'
import { readEnvironment } from './env.ts'
import { parseConfig } from './file.ts'
import { readTextIfAny } from './read-text.ts'
import type { Path } from './references.ts'

/** A missing file has an empty section. Throws ConfigError for invalid YAML. */
export function readSection(
  { configFile }: Pick<Config, 'configFile'>,
  section: Section,
): SectionFile {
  const text = readTextIfAny(configFile)
  const document = parseDocument(text, { merge: true })
  const [error] = document.errors
  if (error) throw new ConfigError(`The settings file is broken: ${error.message}`)
  const content: unknown = document.toJS({ maxAliasCount: 100 })
  const found = isMap(document.contents)
    ? (content as Partial<Record<Section, Written>>)[section]
    : undefined
  return {
    text,
    written: found ?? {},
    etag: hash('sha256', text, 'base64url').slice(0, 22),
    isWritable: isWritable(configFile),
  }
}

function isWritable(file: string): boolean {
  try {
    // The file is replaced by renaming another one.
    accessSync(dirname(file), constants.W_OK)
    if (existsSync(file)) accessSync(file, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** The differences, by name. */
export function changesBetween(before: Written, after: Written): readonly Change[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted()
  return names.flatMap((name): readonly Change[] => {
    const was = Object.hasOwn(before, name) ? before[name] : undefined
    const is = Object.hasOwn(after, name) ? after[name] : undefined
    if (isDeepStrictEqual(was, is)) return []
    const change = was === undefined ? 'added' : is === undefined ? 'removed' : 'changed'
    return [{ name, change, before: was ?? null, after: is ?? null }]
  })
}

/** The text of the settings file with these changes; comments and other lines are kept where possible. */
export function textWith(text: string, section: Section, changes: readonly Change[]): string {
  return changes.reduce(
    (changed, { name, change, before, after }) =>
      change === 'removed'
        ? removeSetting(changed, [section, name])
        : withValue(changed, [section, name], { before, after }),
    text,
  )
}

/** Writes only what differs, so that the rest keeps its comments. */
function withValue(
  text: string,
  path: Path,
  { before, after }: { readonly before: unknown; readonly after: unknown },
): string {
  if (isDeepStrictEqual(before, after)) return text
  if (Array.isArray(before) && Array.isArray(after)) return withItems(text, path, { before, after })
  if (!isObject(before) || !isObject(after)) return setSetting(text, path, after)
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].reduce((changed, name) => {
    if (!Object.hasOwn(after, name)) return removeSetting(changed, [...path, name])
    return withValue(changed, [...path, name], { before: before[name], after: after[name] })
  }, text)
}

interface Lists {
  readonly before: readonly unknown[]
  readonly after: readonly unknown[]
}

/** Unchanged items keep their comments, wherever they move; a changed item is identified by its target. */
function withItems(text: string, path: Path, { before, after }: Lists): string {
  if (before.length === 0 || after.length === 0) return setSetting(text, path, after)
  const order = arrangementOf({ before, after })
  const isSame = order.length === before.length && order.every((item, at) => item === at)
  const arranged = isSame ? text : arrangeItems(text, path, order)
  return order.reduce<string>(
    (edited, item, at) =>
      typeof item === 'number'
        ? withValue(edited, [...path, at], { before: before[item], after: after[at] })
        : edited,
    arranged,
  )
}

/**
 * For each item its previous position: an equal item, one with the same target, or, if the length is unchanged, the item at
 * the same position.
 */
function arrangementOf({ before, after }: Lists): readonly Arranged[] {
  const free = new Set(before.keys())
  const found: (number | undefined)[] = after.map(() => undefined)
  const match = (isIt: (was: unknown, is: unknown, isPlace: boolean) => boolean): void => {
    for (const [at, is] of after.entries()) {
      if (found[at] !== undefined) continue
      const was = [...free].find((one) => isIt(before[one], is, one === at))
      if (was === undefined) continue
      found[at] = was
      free.delete(was)
    }
  }
  match((was, is, isPlace) => isPlace && isDeepStrictEqual(was, is))
  match((was, is) => isDeepStrictEqual(was, is))
  match((was, is) => targetIn(was) !== undefined && targetIn(was) === targetIn(is))
  match((_was, _is, isPlace) => isPlace && before.length === after.length)
  return found.map((was, at) => was ?? { added: after[at] })
}

function targetIn(item: unknown): unknown {
  return isObject(item) ? item['target'] : undefined
}

/** The configuration that a text of the file results in. Throws ConfigError with the place of each mistake. */
export function configOf({ variables, configFile }: Config, text: string): Config {
  const content = parseConfig(text, configFile, variables)
  return createConfig(readEnvironment(variables), content, configFile)
}

/** The section as YAML, for editing the file by hand. */
export function yamlOf(section: Section, written: Written): string {
  return stringify({ [section]: written }, { lineWidth: 0 })
}

/** A reference to an environment variable. */
const reference = /(?<!\$)\$\{[A-Za-z_]/

/**
 * A string that refers to a variable and is not in the file yet; undefined if there is none. Those who may change routes may
 * not read the environment, and names are visible to everybody.
 */
export function newReference(before: unknown, after: unknown): string | undefined {
  const known = new Set(textsIn(before))
  return textsIn(after).find((text) => reference.test(text) && !known.has(text))
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}
