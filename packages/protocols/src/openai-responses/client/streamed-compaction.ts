import type { ChatDelta, Fields } from '@sluice/contract'
import { compactionItem } from './compaction.ts'
import type { OutputItem } from './schema.ts'
import type { Teller } from './streamed-message.ts'
import type { StreamedOutput } from './streamed-output.ts'

/** The output of a streamed response that is a compaction. It is sent as a whole, because nobody can read a part of it. */
export function createStreamedCompaction(teller: Teller): StreamedOutput {
  const items: OutputItem[] = []
  let summary = ''
  return {
    items: () => items,
    add({ content }: ChatDelta) {
      summary += content ?? ''
    },
    close() {
      if (summary.trim() === '') return
      const item = compactionItem(summary.trim(), teller.itemId('cmp_'))
      const tell = (type: string, fields: Fields) =>
        teller.tell(`response.output_item.${type}`, { output_index: 0, item: fields })
      tell('added', { id: item.id, type: item.type })
      tell('done', item)
      items.push(item)
    },
  }
}
