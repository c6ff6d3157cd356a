import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

/** Where clips, their stills and the pictures they begin from are kept: one file each, named after the job. */
export interface ClipFolder {
  /** Whole or not at all, whenever the process may stop. */
  write(id: string, kind: ClipFile, bytes: Uint8Array): Promise<void>
  /** Undefined where there is no such file. */
  read(id: string, kind: ClipFile): Promise<Uint8Array | undefined>
  path(id: string, kind: ClipFile): string
  /** As VideoJob.contentFile names it: below the folder that this folder is in. */
  nameOf(id: string, kind: ClipFile): string
  /** Removes files of a job; not being there is fine. */
  remove(id: string, kinds?: readonly ClipFile[]): Promise<void>
  /** The jobs that have any file here. */
  ids(): Promise<readonly string[]>
}

export type ClipFile = 'clip' | 'still' | 'input'

const endings = { clip: '.mp4', still: '.webp', input: '.input' } as const
const kindsAll: readonly ClipFile[] = ['clip', 'still', 'input']

export async function openClipFolder(folder: string): Promise<ClipFolder> {
  await mkdir(folder, { recursive: true })
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
      await writeFile(half, bytes)
      await rename(half, path(id, kind))
    },
    async read(id, kind) {
      try {
        return await readFile(path(id, kind))
      } catch (thrown) {
        if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT')
          return undefined
        throw thrown
      }
    },
    async remove(id, kinds = kindsAll) {
      for (const kind of kinds) {
        await rm(path(id, kind), { force: true })
        await rm(`${path(id, kind)}.part`, { force: true })
      }
    },
    async ids() {
      const names = await readdir(folder)
      return [...new Set(names.flatMap((name) => /^([\w-]+)\./.exec(name)?.[1] ?? []))]
    },
  }
}
