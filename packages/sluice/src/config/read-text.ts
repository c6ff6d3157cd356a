import { existsSync, readFileSync } from 'node:fs'

/** The file's text; empty if there is no file. */
export function readTextIfAny(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}
