import OpenAI from 'openai'
import { type Started, testKey } from '../start.ts'

/** The official client of a gateway. */
export const client = (gateway: Started, apiKey: string | null | undefined = testKey) =>
  new OpenAI({ apiKey: apiKey ?? '', baseURL: `${gateway.url}/v1`, maxRetries: 0 })

export const said = (content: string) => ({
  type: 'message' as const,
  role: 'user' as const,
  content,
})

/** The texts of a conversation, or the types of its other items, in their order. */
export async function textsIn(openai: OpenAI, id: string): Promise<readonly string[]> {
  const texts = []
  for await (const item of openai.conversations.items.list(id, { order: 'asc', limit: 2 }))
    texts.push(item.type === 'message' ? textOf(item.content) : item.type)
  return texts
}

const textOf = (content: readonly object[]) =>
  content.map((part) => ('text' in part ? part.text : '?')).join('')
