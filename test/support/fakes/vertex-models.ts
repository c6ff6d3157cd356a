/** Scripted models on Vertex AI: what it refuses beyond what the makers of its models refuse (Google Cloud and Claude docs). */
import { formatJson, parseJson } from '../../../packages/contract/src/wire/json.ts'
import { listOf } from '../../../packages/contract/src/wire/reading.ts'
import { refuseMessage } from './anthropic-wire.ts'
import type { Answering, SeenRequest } from './fake-upstream.ts'
import { refuseContent } from './gemini-wire.ts'
import { names } from './known-fields.ts'
import { type Fields, makers, type Script } from './scripted-models.ts'

const addressOf = (publisher: string, methods: string) =>
  new RegExp(
    `^/v1/projects/p/locations/global/publishers/${publisher}/models/([^/:]+):(${methods})(\\?|$)`,
  )
const ofGemini = addressOf('google', 'generateContent|streamGenerateContent')
const ofClaude = addressOf('anthropic', 'rawPredict|streamRawPredict')

const isSignedIn = ({ headers }: SeenRequest) =>
  headers['authorization'] === 'Bearer ya29.token' && headers['x-goog-api-key'] === undefined

/** Its older models know no ids of calls (googleapis/python-genai#2067). */
export function vertexGeminiModel(script: Script): Answering {
  const answering = makers.gemini.answering(script)
  return (seen, response, request) => {
    const [, model = ''] = ofGemini.exec(seen.path) ?? []
    if (model === '' || !isSignedIn(seen)) return refuseContent(response, 'Not found or no access.')
    const part = partsIn(parseJson(seen.text) as Fields).find(hasId)
    if (part !== undefined && /gemini-[12]/.test(model))
      return refuseContent(
        response,
        `Invalid JSON payload received. Unknown name "id" at 'contents[1].parts[0].${Object.keys(part)[0]}': Cannot find field.`,
      )
    return answering(seen, response, request)
  }
}

const partsIn = (body: Fields) =>
  listOf(body['contents']).flatMap((content) => listOf((content as Fields)['parts']) as Fields[])

const hasId = ({ functionCall, functionResponse }: Fields) =>
  [functionCall, functionResponse].some((called) => (called as Fields | undefined)?.['id'] != null)

/** The betas that Claude's documentation and its own clients name for Vertex AI. */
const betas = names(`claude-code-20250219 compact-2026-01-12 computer-use-2025-01-24
  computer-use-2025-11-24 context-1m-2025-08-07 context-management-2025-06-27
  interleaved-thinking-2025-05-14 tool-search-tool-2025-10-19 web-search-2025-03-05`)

export function vertexClaudeModel(script: Script): Answering {
  const answering = makers.anthropic.answering(script)
  return (seen, response, request) => {
    const [, model = '', method] = ofClaude.exec(seen.path) ?? []
    if (model === '' || !isSignedIn(seen)) return refuseMessage(response, 'Not found', 404)
    const { anthropic_version: version, ...body } = parseJson(seen.text) as Fields
    const broken = brokenPlatformRule(seen, body, { version, method })
    if (broken !== undefined) return refuseMessage(response, broken)
    const whole = { ...body, model }
    const asOfClaude = { ...seen, path: '/v1/messages', text: formatJson(whole), body: whole }
    return answering(asOfClaude, response, request)
  }
}

function brokenPlatformRule(
  { headers }: SeenRequest,
  body: Fields,
  { version, method }: { readonly version: unknown; readonly method: string | undefined },
): string | undefined {
  if (version !== 'vertex-2023-10-16') return 'anthropic_version: Input should be vertex-2023-10-16'
  if ('model' in body) return 'model: Extra inputs are not permitted'
  if ((body['stream'] === true) !== (method === 'streamRawPredict')) return 'stream: wrong method'
  const asked = (headers['anthropic-beta'] ?? '').split(/,\s*/).filter((beta) => beta !== '')
  const unknown = asked.find((beta) => !betas.has(beta))
  if (unknown !== undefined)
    return `Unexpected value(s) \`${unknown}\` for the \`anthropic-beta\` header. Please consult our documentation at docs.anthropic.com or try again without the header.`
  if (asked.includes('tool-search-tool-2025-10-19')) return undefined
  const at = listOf(body['tools']).findIndex((tool) => 'defer_loading' in (tool as Fields))
  return at === -1 ? undefined : `tools.${at}.custom.defer_loading: Extra inputs are not permitted`
}
