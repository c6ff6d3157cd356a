import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { isRawNumber, parseJson } from '../../../packages/contract/src/wire/json.ts'

/** `UPDATE_GOLDEN=1` rewrites every expected file, `UPDATE_GOLDEN=anthropic,messages` only those of these owners. */
const update = (process.env['UPDATE_GOLDEN'] ?? '').split(',')

/** Owner of the files that no protocol or format may rewrite, above all `request.json`. */
export const inputOwner = 'input'

function rewrites(owner: string): boolean {
  return owner !== inputOwner && (update.includes('1') || update.includes(owner))
}

/** One folder of golden files. An empty file is filled when `UPDATE_GOLDEN` names its owner. */
export interface GoldenCase {
  readonly folder: string
  /** The names of all existing files. */
  names(): readonly string[]
  has(name: string): boolean
  text(name: string): string
  json(name: string): unknown
  /** Compares with the file, or writes it. `owner` is the protocol or client format. */
  expectJson(name: string, owner: string, actual: unknown): void
  expectText(name: string, owner: string, actual: string): void
}

export function foldersIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted()
}

export function goldenCase(folder: string): GoldenCase {
  const path = (name: string): string => join(folder, name)
  const text = (name: string): string => readFileSync(path(name), 'utf8')
  const expectText = (name: string, owner: string, actual: string): void => {
    if (rewrites(owner)) writeFileSync(path(name), actual)
    expect(actual, `${folder}/${name}`).toBe(text(name))
  }
  return {
    folder,
    names: () => readdirSync(folder).toSorted(),
    has: (name) => existsSync(path(name)),
    text,
    json: (name) => withBytes(parseJson(text(name))),
    expectText,
    expectJson(name, owner, actual) {
      const printed = `${JSON.stringify(actual, undefined, 2)}\n`
      if (rewrites(owner)) writeFileSync(path(name), printed)
      expect(sorted(parseJson(printed)), `${folder}/${name}`).toBe(sorted(parseJson(text(name))))
    },
  }
}

/** The order of keys does not matter in JSON, but the digits of large integers do. */
function sorted(value: unknown): string {
  return JSON.stringify(
    value,
    (_key, inner: unknown) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner) && !isRawNumber(inner)
        ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    2,
  )
}

/** In the files, bytes are written as `{"base64": "…"}`, and an uploaded file as `{"filename", "contentType", "base64"}`. */
function withBytes(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value
  if (Array.isArray(value)) return value.map(withBytes)
  const fields = Object.entries(value)
  if ('base64' in value && typeof value.base64 === 'string') {
    const bytes = new Uint8Array(Buffer.from(value.base64, 'base64'))
    return { ...Object.fromEntries(fields.filter(([key]) => key !== 'base64')), bytes }
  }
  return Object.fromEntries(fields.map(([key, inner]) => [key, withBytes(inner)]))
}

/** The inverse, for the output of a codec. */
export function withoutBytes(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value
  if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString('base64') }
  if (Array.isArray(value)) return value.map(withoutBytes)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutBytes(inner)]))
}
