import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

type ClipFile = 'clip' | 'still' | 'input'

const endings = { clip: '.mp4', still: '.webp', input: '.input' } as const
const kindsAll: readonly ClipFile[] = ['clip', 'still', 'input']

/**
 * Where clips, their stills and the pictures they begin from are kept: one file each, named after the job. The folder
 * itself is made with the first file.
 */
export function createClipFolder(folder: string) {
  const nameOf = (id: string, kind: ClipFile): string => {
    // Ids are the gateway's own; a name with another character would be a mistake of ours.
    if (!/^[\w-]+$/.test(id)) throw new Error('This is not the id of a video')
    return `${id}${endings[kind]}`
  }
  const path = (id: string, kind: ClipFile): string => join(folder, nameOf(id, kind))
  return {
    path,
    /** The name below the folder that this folder is in. */
    nameOf: (id: string, kind: ClipFile) => `${basename(folder)}/${nameOf(id, kind)}`,
    /** Whole or not at all, whenever the process may stop. */
    async write(id: string, kind: ClipFile, bytes: Uint8Array): Promise<void> {
      const half = `${path(id, kind)}.part`
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeFile(half, bytes, { mode: 0o600 })
      await rename(half, path(id, kind))
    },
    /** Undefined where there is no such file. */
    read: (id: string, kind: ClipFile) => unlessAbsent(readFile(path(id, kind))),
    /** Removes files of a job; not being there is fine. */
    async remove(id: string, kinds = kindsAll): Promise<void> {
      for (const kind of kinds)
        for (const name of [path(id, kind), `${path(id, kind)}.part`])
          await rm(name, { force: true })
    },
    /** The jobs that have any file here. */
    async ids(): Promise<readonly string[]> {
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
