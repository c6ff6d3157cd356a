import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

/** Where clips, their stills and the pictures they begin from are kept: one file each, named after the job. */
export interface ClipFolder {
  /** Whole or not at all, whenever the process may stop. */
  write(id: string, kind: ClipFile, bytes: Uint8Array): Promise<void>
  /** Undefined where there is no such file. */
  read(id: string, kind: ClipFile): Promise<Uint8Array | undefined>
  path(id: string, kind: ClipFile): string
  /** The name below the folder that this folder is in. */
  nameOf(id: string, kind: ClipFile): string
  /** Removes files of a job; not being there is fine. */
  remove(id: string, kinds?: readonly ClipFile[]): Promise<void>
  /** The jobs that have any file here. */
  ids(): Promise<readonly string[]>
}

export type ClipFile = 'clip' | 'still' | 'input'

const endings = { clip: '.mp4', still: '.webp', input: '.input' } as const
const kindsAll: readonly ClipFile[] = ['clip', 'still', 'input']

/** The folder itself is made with the first file. */
export function createClipFolder(folder: string): ClipFolder {
  const nameOf = (id: string, kind: ClipFile): string => {
    // Ids are the gateway's own; a name with another character would be a mistake of ours.
    if (!/^[\w-]+$/.test(id)) throw new Error('This is not the id of a video')
    return `${id}${endings[kind]}`
  }
  const path = (id: string, kind: ClipFile): string => join(folder, nameOf(id, kind))
  return {
    path,
    nameOf: (id, kind) => `${basename(folder)}/${nameOf(id, kind)}`,
    async write(id, kind, bytes) {
      const half = `${path(id, kind)}.part`
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeFile(half, bytes, { mode: 0o600 })
      await rename(half, path(id, kind))
    },
    read: (id, kind) => unlessAbsent(readFile(path(id, kind))),
    async remove(id, kinds = kindsAll) {
      for (const kind of kinds) {
        await rm(path(id, kind), { force: true })
        await rm(`${path(id, kind)}.part`, { force: true })
      }
    },
    async ids() {
      const names = (await unlessAbsent(readdir(folder))) ?? []
      return [...new Set(names.flatMap((name) => /^([\w-]+)\./.exec(name)?.[1] ?? []))]
    },
  }
}

async function unlessAbsent<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return undefined
    throw thrown
  }
}
