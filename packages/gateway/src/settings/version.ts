import { readFileSync } from 'node:fs'

/** The program's version from package.json. */
export function programVersion(): string {
  const text = readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')
  const content: unknown = JSON.parse(text)
  if (typeof content !== 'object' || content === null || !('version' in content)) return 'unknown'
  return String(content.version)
}
