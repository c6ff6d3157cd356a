import type { Reply } from '../../api/client.ts'

type Models = Reply<'listModels'>['data']

/** The model used in snippets: a provider's model is preferred to one of the built-in engine. */
export function snippetModel(models: Models): string {
  const chat = models.filter(({ operations }) => operations.includes('chat'))
  const named = chat.find(({ owned_by: owner }) => owner !== 'sluice') ?? chat[0]
  return named?.id ?? 'MODEL'
}
