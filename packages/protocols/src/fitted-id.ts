import { hash } from 'node:crypto'

/** Someone's id where it is short enough, else its hash of 64 characters or fewer, which is the same every time. */
export function fittedId(id: string, charactersMax: number): string {
  return id.length <= charactersMax ? id : hash('sha256', id, 'hex').slice(0, charactersMax)
}
