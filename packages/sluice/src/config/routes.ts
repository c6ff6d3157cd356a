import { accessSync, constants, existsSync } from 'node:fs'
import { hash } from 'node:crypto'
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { isObject } from '@sluice/contract'
import { isMap, parseDocument, stringify } from 'yaml'
import { type Config, createConfig } from './config.ts'
import { ConfigError } from './config-error.ts'
import { removeSetting, setSetting } from './edit.ts'
import { readEnvironment } from './env.ts'
import { parseConfig } from './file.ts'
import { readTextIfAny } from './read-text.ts'
import type { Path } from './references.ts'

/** `models` of the settings file, as it is written there. */
export type WrittenRoutes = Readonly<Record<string, unknown>>

/** The routes of the settings file at one moment. */
export interface RoutesFile {
  readonly text: string
  readonly routes: WrittenRoutes
  /** Another text where anybody has changed the file. */
  readonly etag: string
  readonly isWritable: boolean
}

export interface RouteChange {
  readonly model: string
  readonly change: 'added' | 'changed' | 'removed'
  /** Null where it was not, or is not, there. */
  readonly before: unknown
  readonly after: unknown
}

/** A file that is not there has no routes. Throws ConfigError where it is no YAML. */
export function readRoutes({ configFile }: Pick<Config, 'configFile'>): RoutesFile {
  const text = readTextIfAny(configFile)
  const document = parseDocument(text, { merge: true })
  const [error] = document.errors
  if (error) throw new ConfigError(`The settings file is broken: ${error.message}`)
  const content: unknown = document.toJS({ maxAliasCount: 100 })
  const models = isMap(document.contents) ? (content as { models?: WrittenRoutes }).models : {}
  return {
    text,
    routes: models ?? {},
    etag: hash('sha256', text, 'base64url').slice(0, 22),
    isWritable: isWritable(configFile),
  }
}

function isWritable(file: string): boolean {
  try {
    // It is replaced by another of its name.
    accessSync(dirname(file), constants.W_OK)
    if (existsSync(file)) accessSync(file, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** What would be different, by name. */
export function changesBetween(
  before: WrittenRoutes,
  after: WrittenRoutes,
): readonly RouteChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted()
  return names.flatMap((model): readonly RouteChange[] => {
    const was = Object.hasOwn(before, model) ? before[model] : undefined
    const is = Object.hasOwn(after, model) ? after[model] : undefined
    if (isDeepStrictEqual(was, is)) return []
    const change = was === undefined ? 'added' : is === undefined ? 'removed' : 'changed'
    return [{ model, change, before: was ?? null, after: is ?? null }]
  })
}

/** The text of the settings file with these changes; comments and all other lines stay wherever that is possible. */
export function textWith(text: string, changes: readonly RouteChange[]): string {
  return changes.reduce(
    (changed, { model, change, before, after }) =>
      change === 'removed'
        ? removeSetting(changed, ['models', model])
        : withValue(changed, ['models', model], { before, after }),
    text,
  )
}

/** Only what differs is written: what stands beside it keeps its comments. */
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

/** Items that stay keep their comments. Where one comes between others the list is written anew. */
function withItems(text: string, path: Path, { before, after }: Lists): string {
  const shorter = Math.min(before.length, after.length)
  let head = 0
  while (head < shorter && isDeepStrictEqual(before[head], after[head])) head += 1
  let tail = 0
  while (tail < shorter - head && isDeepStrictEqual(before.at(-1 - tail), after.at(-1 - tail)))
    tail += 1
  const surplus = before.length - after.length
  if (shorter === 0 || (surplus < 0 && tail > 0)) return setSetting(text, path, after)
  const place = after.length - tail
  let changed = text
  for (let count = 0; count < surplus; count += 1)
    changed = removeSetting(changed, [...path, place])
  const kept = before.toSpliced(place, Math.max(0, surplus))
  return after.reduce<string>(
    (edited, value, at) =>
      at < kept.length
        ? withValue(edited, [...path, at], { before: kept[at], after: value })
        : setSetting(edited, [...path, at], value),
    changed,
  )
}

/** The settings that a text of the file would come to. Throws ConfigError with the place of each mistake. */
export function configOf({ variables, configFile }: Config, text: string): Config {
  const content = parseConfig(text, configFile, variables)
  return createConfig(readEnvironment(variables), content, configFile)
}

/** `models:` alone, as it is to be put into the file by hand. */
export function yamlOf(routes: WrittenRoutes): string {
  return stringify({ models: routes }, { lineWidth: 0 })
}
