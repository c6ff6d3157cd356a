import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder for one test; removed with its content when disposed. */
export function temporaryFolder(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'sluice-test-'))
  return {
    path,
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
}
