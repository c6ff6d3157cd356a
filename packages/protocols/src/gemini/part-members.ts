/**
 * The members of a part (https://ai.google.dev/api/caching#Part). A part has one member with content, whose name is its kind;
 * the others are about it. A kind that is `unread` or not here is content that only Gemini itself can read. None of them costs
 * anything beside its tokens, apart from the calls that `ServerTools` reads. A member that is not here counts as a call of a tool
 * with its name: without a price for it the cost of the response is unknown.
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
