import {
  type Fields,
  isObject,
  listOf,
  objectOf,
  type ServerToolCall,
  someText,
  textOf,
} from '@sluice/contract'
import type { FormatContext } from '../client-format.ts'
import { codeOf, logsOf, nameUntold, pagesOf, queriesOf } from '../server-tools.ts'
import type { Part } from './generate-content.ts'

// Tools that Google runs itself (https://ai.google.dev/gemini-api/docs/tools). Code has parts of its own; searches and
// pages are in the metadata of the candidate.

/** The calls of one candidate, over all fragments of a stream. */
export class ServerTools {
  readonly #newId: (prefix: string) => string
  /** Code, and calls from Gemini 3's parts, whose results have not arrived. */
  readonly #open: ServerToolCall[] = []
  /** What was already reported, because metadata is repeated in later fragments. */
  readonly #reported = new Set<string>()

  constructor(newId: (prefix: string) => string) {
    this.#newId = newId
  }

  read(candidate: Fields): readonly ServerToolCall[] {
    const parts = listOf(objectOf(candidate['content'])['parts']).filter(isObject)
    return [...parts.flatMap((part) => this.#readPart(part)), ...this.#readMetadata(candidate)]
  }

  /** Returns, once, the calls whose results did not arrive. */
  rest(): readonly ServerToolCall[] {
    return this.#open.splice(0)
  }

  #readPart(part: Fields): readonly ServerToolCall[] {
    const { executableCode: code, codeExecutionResult: result, toolCall: call, toolResponse } = part
    if (isObject(code)) this.#begin(code, 'code_execution', { code: textOf(code['code']) })
    if (isObject(call)) this.#begin(call, toolOf(call), { ...objectOf(call['args']) })
    if (isObject(result)) return this.#end(result, codeResult(result))
    if (isObject(toolResponse)) return this.#end(toolResponse, { output: toolResponse['response'] })
    return []
  }

  #begin({ id }: Fields, type: string, input: ServerToolCall['input']): void {
    this.#open.push({ id: someText(id) ?? this.#newId('tool_'), type, input })
  }

  #end({ id }: Fields, result: Partial<ServerToolCall>): readonly ServerToolCall[] {
    const at = Math.max(
      0,
      this.#open.findIndex((call) => call.id === id),
    )
    return this.#open.splice(at, 1).map((call) => ({ ...call, ...result }))
  }

  #readMetadata({
    groundingMetadata,
    urlContextMetadata: urls,
  }: Fields): readonly ServerToolCall[] {
    const {
      webSearchQueries: web,
      imageSearchQueries: image,
      retrievalQueries: files,
    } = objectOf(groundingMetadata)
    return [
      ...this.#once('web_search', [...listOf(web), ...listOf(image)]),
      ...this.#once('file_search', listOf(files)),
      ...listOf(objectOf(urls)['urlMetadata']).flatMap((page) => this.#fetched(objectOf(page))),
    ]
  }

  #once(type: string, queries: readonly unknown[]): readonly ServerToolCall[] {
    const fresh = queries
      .filter((query) => typeof query === 'string')
      .filter((query) => {
        const key = `${type} ${query}`
        const isFresh = !this.#reported.has(key)
        this.#reported.add(key)
        return isFresh
      })
    if (fresh.length === 0) return []
    return [{ id: this.#newId('tool_'), type, input: { queries: fresh } }]
  }

  #fetched({ retrievedUrl, urlRetrievalStatus: status }: Fields): readonly ServerToolCall[] {
    const url = someText(retrievedUrl)
    if (url === undefined || this.#reported.has(`web_fetch ${url}`)) return []
    this.#reported.add(`web_fetch ${url}`)
    const failed = textOf(status) !== fetched && status !== undefined
    const call = { id: this.#newId('tool_'), type: 'web_fetch', input: { url } }
    return [failed ? { ...call, output: status, is_error: true } : call]
  }
}

const fetched = 'URL_RETRIEVAL_STATUS_SUCCESS'

const toolTypes: Readonly<Record<string, string>> = {
  GOOGLE_SEARCH_WEB: 'web_search',
  GOOGLE_SEARCH_IMAGE: 'web_search',
  URL_CONTEXT: 'web_fetch',
  FILE_SEARCH: 'file_search',
}

function toolOf({ toolType }: Fields): string {
  const name = textOf(toolType)
  return toolTypes[name] ?? (name.toLowerCase() || 'tool')
}

function codeResult({ outcome, output }: Fields): Partial<ServerToolCall> {
  const stdout = textOf(output)
  if (outcome === 'OUTCOME_OK' || outcome === undefined) return { output: { stdout } }
  return { output: { stdout: '', stderr: stdout, error_code: outcome }, is_error: true }
}

/** Code and its result as parts. Every other call is in the candidate's metadata or cannot be expressed. */
export function serverParts(calls: readonly ServerToolCall[]): readonly Part[] {
  return calls
    .filter(({ type }) => type === 'code_execution')
    .flatMap((call): readonly Part[] => {
      const { id, output } = call
      const executableCode = { id, language: 'PYTHON', code: codeOf(call) }
      if (output === undefined) return [{ executableCode }]
      const outcome = call.is_error === true ? 'OUTCOME_FAILED' : 'OUTCOME_OK'
      return [{ executableCode }, { codeExecutionResult: { id, outcome, output: logsOf(call) } }]
    })
}

/** The types of calls that the metadata can express. */
const inMetadata: ReadonlySet<string> = new Set(['web_search', 'file_search', 'web_fetch'])

/** The candidate's fields for searches and fetched pages. Calls that these fields cannot express are reported. */
export function serverMetadata(
  calls: readonly ServerToolCall[],
  grounding: Fields | undefined,
  reports: Pick<FormatContext, 'leftOut'>,
): Fields {
  for (const call of calls) {
    if (call.type === 'code_execution') continue
    if (!inMetadata.has(call.type)) nameUntold(call, reports)
    else if (call.type !== 'web_search' && call.output !== undefined)
      nameUntold(call, reports, 'output')
  }
  const of = (type: string) => calls.filter((call) => call.type === type)
  const web = of('web_search').flatMap(queriesOf)
  const files = of('file_search').flatMap(queriesOf)
  const cited = listOf(grounding?.['groundingChunks'])
  const found = uncited(of('web_search').flatMap(pagesOf), cited)
  const metadata = {
    ...(web.length === 0 ? {} : { webSearchQueries: web }),
    ...(files.length === 0 ? {} : { retrievalQueries: files }),
    ...grounding,
    ...(found.length === 0 ? {} : { groundingChunks: [...cited, ...found] }),
  }
  const pages = of('web_fetch').map(urlMetadata)
  return {
    ...(Object.keys(metadata).length === 0 ? {} : { groundingMetadata: metadata }),
    ...(pages.length === 0 ? {} : { urlContextMetadata: { urlMetadata: pages } }),
  }
}

/** Pages that were found but that the response does not cite. */
function uncited(pages: ReturnType<typeof pagesOf>, cited: readonly unknown[]): readonly Fields[] {
  const known = new Set(cited.map((chunk) => objectOf(objectOf(chunk)['web'])['uri']))
  return pages
    .filter(({ url }) => !known.has(url))
    .map(({ url, title }) => ({ web: { uri: url, title } }))
}

function urlMetadata({ input, is_error: failed }: ServerToolCall): Fields {
  const urlRetrievalStatus = failed === true ? 'URL_RETRIEVAL_STATUS_ERROR' : fetched
  return { retrievedUrl: textOf(input['url']), urlRetrievalStatus }
}
