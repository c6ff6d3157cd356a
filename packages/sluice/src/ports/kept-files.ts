/** `image`: a published picture. The others belong to the video task that has the same id. */
export type KeptFileKind = 'image' | 'clip' | 'still' | 'input'

/** A file as a whole. */
export interface KeptFile {
  readonly contentType: string
  readonly bytes: Uint8Array
}

export interface NewKeptFile extends KeptFile {
  readonly id: string
  readonly kind: KeptFileKind
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** Files that every process on the same database has, for as long as they are wanted. */
export interface KeptFiles {
  /** Takes the place of the one before. It is found once it is whole. */
  addFile(file: NewKeptFile): Promise<void>
  /** Undefined where there is none, or none any more `at` (milliseconds since the epoch). */
  findFile(
    file: Pick<NewKeptFile, 'id' | 'kind'> & { readonly at: number },
  ): Promise<KeptFile | undefined>
  /** Not being there is fine. */
  removeFiles(id: string, kinds: readonly KeptFileKind[]): Promise<void>
  /**
   * Removes what has expired, what belongs to video tasks that are gone, and of the pictures the oldest beyond so many bytes
   * in all.
   */
  sweepFiles(most: { readonly at: number; readonly imageBytes: number }): Promise<void>
}
