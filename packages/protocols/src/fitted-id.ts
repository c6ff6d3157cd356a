import { hash } from 'node:crypto'

/** The id if it is short enough, otherwise a hash of it, which has at most 64 characters and is always the same. */
export function fittedId(id: string, charactersMax: number): string {
  return id.length <= charactersMax ? id : hash('sha256', id, 'hex').slice(0, charactersMax)
}
