import { invalidRequest } from '@sluice/contract'
import type { Task } from '../../workers/task.ts'

export interface PdfText {
  readonly text: string
  readonly pages: number
}

/** The text of a PDF, page by page. Runs in a worker, since a PDF can be made to be slow. */
export const readPdf: Task<{ readonly bytes: Uint8Array }, PdfText> = async ({ bytes }) => {
  const { extractText } = await import('unpdf')
  try {
    const { text, totalPages } = await extractText(new Uint8Array(bytes), { mergePages: false })
    return { text: text.join('\n\n'), pages: totalPages }
  } catch {
    throw invalidRequest('The PDF cannot be read')
  }
}
