import type { ContentPart, Message } from '@sluice/contract'

/** For APIs whose user messages have no names: the name is written before the text. */
export function withSpeaker({
  role,
  name,
  content,
}: Pick<Message, 'role' | 'name' | 'content'>): Message['content'] {
  if (role !== 'user' || name == null || name === '') return content
  if (typeof content === 'string') return `${name}: ${content}`
  const parts: readonly ContentPart[] = content ?? []
  const at = parts.findIndex(({ type }) => type === 'text')
  if (at < 0) return [{ type: 'text', text: `${name}:` }, ...parts]
  return parts.map((part, index) =>
    index === at ? { ...part, text: `${name}: ${part.text ?? ''}` } : part,
  )
}
