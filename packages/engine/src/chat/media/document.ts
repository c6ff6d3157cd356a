import { invalidRequest } from '@sluice/contract'
import type { MediaContext } from '../../operation.ts'
import type { Medium } from '../ask/conversation.ts'

const workMs = 30_000
/** Maximum characters of a document; in practice the context limit is stricter. */
const charactersMax = 2_000_000

export interface DocumentOptions {
  readonly filename: string | undefined
  readonly param: string
  readonly context: MediaContext
}

/** The text of a PDF or of a text file. */
export async function readDocument(
  bytes: Uint8Array,
  { filename, param, context }: DocumentOptions,
): Promise<Medium> {
  const text = isPdf(bytes) ? await pdfText(bytes, param, context) : textOf(bytes)
  if (text === undefined) {
    const name = filename === undefined ? 'The file' : `The file ${filename.slice(0, 100)}`
    throw invalidRequest(`${name} is neither a PDF nor text`, param)
  }
  return { kind: 'document', description: text.slice(0, charactersMax) }
}

export function isPdf(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 1024)).includes('%PDF-')
}

async function pdfText(
  bytes: Uint8Array,
  param: string,
  { workers }: MediaContext,
): Promise<string> {
  const { text, pages } = await workers.run('readPdf', { bytes }, { timeoutMs: workMs, param })
  if (text.trim() !== '') return text
  return `This PDF has ${pages} ${pages === 1 ? 'page' : 'pages'} and holds no text.`
}

/** A file as text, if it is one in UTF-8 or UTF-16. */
export function textOf(bytes: Uint8Array): string | undefined {
  const sixteen =
    (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
  const encoding = sixteen ? (bytes[0] === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8'
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}
