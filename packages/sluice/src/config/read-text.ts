import { existsSync, readFileSync } from 'node:fs'

/** The file's text; empty where there is no file. */
export function readTextIfAny(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}
