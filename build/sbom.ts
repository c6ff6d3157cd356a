// Writes dist/sbom.cdx.json, the bill of materials of what is published: `npm pack` does it after the build.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type LockedPackage, shippedPackages } from './shipped-packages.ts'

const root = join(import.meta.dirname, '..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly version: string
}

const purlOf = (name: string, of: string) => `pkg:npm/${name.replace('@', '%40')}@${of}`

/** A component of CycloneDX 1.5 (https://cyclonedx.org/docs/1.5/json/). */
function componentOf({ name, version: of, license, integrity }: LockedPackage) {
  const [algorithm = '', base64 = ''] = integrity.split('-')
  const purl = purlOf(name, of)
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version: of,
    purl,
    licenses: [{ expression: license }],
    ...(algorithm === 'sha512' && {
      hashes: [{ alg: 'SHA-512', content: Buffer.from(base64, 'base64').toString('hex') }],
    }),
  }
}

const bom = {
  $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  version: 1,
  metadata: {
    component: {
      type: 'application',
      'bom-ref': purlOf('sluice', version),
      name: 'sluice',
      version,
      purl: purlOf('sluice', version),
      licenses: [{ expression: 'Apache-2.0' }],
    },
  },
  components: shippedPackages(root).map(componentOf),
}
writeFileSync(join(root, 'dist/sbom.cdx.json'), `${JSON.stringify(bom, null, 2)}\n`)
