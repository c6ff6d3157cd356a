import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { licenceOf } from './licences.ts'

/** A package as package-lock.json has it. */
export interface LockedPackage {
  readonly name: string
  readonly version: string
  /** An SPDX expression. */
  readonly license: string
  /** Subresource integrity of its archive, `sha512-…`. */
  readonly integrity: string
  /** Its folder below the root. */
  readonly folder: string
}

interface Entry {
  readonly version?: string
  readonly license?: string
  readonly integrity?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

type Lock = Readonly<Record<string, Entry>>

/** The packages whose code users get: those that npm installs beside the bundle, on any system, and those inside of it. */
export function shippedPackages(root: string): readonly LockedPackage[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Lock
  }
  const folders = new Set([...installed(packages), ...bundled(root, packages)])
  return [...folders].map((folder) => {
    const { version = '', license = '', integrity = '' } = packages[folder] ?? {}
    const name = nameOf(folder)
    return { name, version, license: licenceOf(name, license), integrity, folder }
  })
}

function nameOf(folder: string): string {
  return folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length)
}

/** The folders of the root's dependencies and of theirs. */
function installed(packages: Lock): ReadonlySet<string> {
  const found = new Set<string>()
  const visit = (folder: string): void => {
    const { dependencies, optionalDependencies } = packages[folder] ?? {}
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const inner = folderFor(packages, folder, name)
      if (inner === undefined || found.has(inner)) continue
      found.add(inner)
      visit(inner)
    }
  }
  visit('')
  return found
}

/** Where Node finds a package that another one asks for. */
function folderFor(packages: Lock, from: string, name: string): string | undefined {
  const parts = from.split('/node_modules/')
  for (let length = parts.length; length > 0; length -= 1) {
    const inner = `${parts.slice(0, length).join('/node_modules/')}/node_modules/${name}`
    if (packages[inner]) return inner
  }
  const top = `node_modules/${name}`
  return packages[top] ? top : undefined
}

/** Titles of notices: name, version and license. */
const title = /^((?:@[\w.-]+\/)?[\w.-]+) (\d[\w.+-]*) \(.+\)$/gm

function bundled(root: string, packages: Lock): readonly string[] {
  return ['THIRD-PARTY-LICENSES.txt', 'console/THIRD-PARTY-LICENSES.txt'].flatMap((file) => {
    const notices = readFileSync(join(root, 'dist', file), 'utf8')
    return [...notices.matchAll(title)].flatMap(([, name = '', version = '']) => {
      const folder = Object.keys(packages).find(
        (one) => nameOf(one) === name && packages[one]?.version === version,
      )
      return folder === undefined ? [] : [folder]
    })
  })
}
