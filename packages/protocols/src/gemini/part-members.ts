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

export function memberOf(name: string): 'kind' | 'about' | 'unread' {
  return (Object.hasOwn(partMembers, name) ? partMembers[name] : undefined) ?? 'unread'
}

/** Google accepts and sends a field's name in both spellings. */
export function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
