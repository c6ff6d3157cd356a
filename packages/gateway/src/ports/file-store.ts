/** `image`: a published image. The others belong to the video task with the same id. */
export type StoredFileKind = 'image' | 'clip' | 'still' | 'input'

/** A file as a whole. */
export interface StoredFile {
  readonly contentType: string
  readonly bytes: Uint8Array
}

/** A file to store, until it expires. */
export interface NewStoredFile extends StoredFile {
  readonly id: string
  readonly kind: StoredFileKind
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** Files shared by all processes on the same database until they expire. */
export interface FileStore {
  /** Replaces an existing file. It can be found once it is complete. */
  addFile(file: NewStoredFile): Promise<void>
  /** Undefined if there is none, or if it has expired `at` (milliseconds since the epoch). */
  findFile(
    file: Pick<NewStoredFile, 'id' | 'kind'> & { readonly at: number },
  ): Promise<StoredFile | undefined>
  /** Does nothing if there is none. */
  removeFiles(id: string, kinds: readonly StoredFileKind[]): Promise<void>
  /** Removes expired files, files of deleted video tasks, and the oldest images beyond a total size. */
  sweepFiles(most: { readonly at: number; readonly imageBytes: number }): Promise<void>
}
