import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { StoredFileKind } from '@sluice/gateway/ports/file-store.ts'
import type { Store } from '@sluice/gateway/ports/store.ts'

/** How long a video can be downloaded, in milliseconds. */
const keptMs = 86_400_000

const kinds: Readonly<Record<string, readonly [kind: StoredFileKind, contentType: string]>> = {
  mp4: ['clip', 'video/mp4'],
  webp: ['still', 'image/webp'],
  input: ['input', 'application/octet-stream'],
}

/**
 * Imports files of video jobs that versions before database version 13 kept in a folder into the store, where all processes
 * find them, and removes the folder. Does nothing if there is none.
 */
export async function importClips(
  store: Pick<Store, 'findVideoJob' | 'addFile'>,
  folder: string,
  now: number,
): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    const [, id = '', ending = ''] = /^([\w-]+)\.(\w+)$/.exec(name) ?? []
    const [kind, contentType] = kinds[ending] ?? []
    if (kind === undefined || contentType === undefined || !(await store.findVideoJob(id))) continue
    const bytes = await readFile(join(folder, name))
    await store.addFile({ id, kind, contentType, bytes, createdAt: now, expiresAt: now + keptMs })
  }
  await rm(folder, { recursive: true, force: true })
}
