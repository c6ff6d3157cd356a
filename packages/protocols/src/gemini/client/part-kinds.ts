import type { Fields } from '@sluice/contract'
import { refuse } from './fields.ts'

/**
 * The members of a part (https://ai.google.dev/api/caching#Part). A part has one member with content, whose name is its kind;
 * the others are about it. A kind that is `unread` or not here is content that only Gemini itself can read.
 */
export const partMembers: Readonly<Record<string, 'kind' | 'about' | 'unread'>> = {
  text: 'kind',
  inlineData: 'kind',
  fileData: 'kind',
  functionCall: 'kind',
  functionResponse: 'kind',
  executableCode: 'kind',
  codeExecutionResult: 'kind',
  toolCall: 'kind',
  toolResponse: 'kind',
  audioTranscription: 'unread',
  thought: 'about',
  thoughtSignature: 'about',
  videoMetadata: 'about',
  mediaResolution: 'about',
  mediaProcessing: 'about',
  partMetadata: 'about',
  speechMetadata: 'about',
}

/** Rejects a part of an unknown kind, and one with several, of which Gemini reads none. `path` is the part's place. */
export function checkPartKind(part: Fields, path: string): void {
  const names = Object.entries(part)
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([name]) => camelCase(name))
  const kinds = names.filter((name) => memberOf(name) === 'kind')
  if (kinds.length > 1) refuse(path, `a part holds one of ${kinds.join(', ')}`)
  const unknown = names.find((name) => memberOf(name) === 'unread')
  if (kinds.length === 0 && unknown !== undefined)
    refuse(path, `only Gemini itself knows parts of kind ${unknown}`)
}

function memberOf(name: string): 'kind' | 'about' | 'unread' {
  return (Object.hasOwn(partMembers, name) ? partMembers[name] : undefined) ?? 'unread'
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
