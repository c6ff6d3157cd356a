/** The fields of a Messages request below its own: Claude refuses others, some of them unless a beta is asked for. */
import { names, unknownIn, unknownOfKind } from './known-fields.ts'

type Fields = Readonly<Record<string, unknown>>

/** Fields of a request by the betas that know them (Claude docs: beta headers, context editing, fast mode). */
export const fieldsOfBetas: Readonly<Record<string, readonly string[]>> = {
  context_management: ['context-management-2025-06-27', 'compact-2026-01-12'],
  mcp_servers: ['mcp-client-2025-11-20', 'mcp-client-2025-04-04'],
  speed: ['fast-mode-2026-02-01'],
}

const blocks: Readonly<Record<string, ReadonlySet<string>>> = {
  text: names('type text citations cache_control'),
  thinking: names('type thinking signature'),
  redacted_thinking: names('type data'),
  tool_use: names('type id name input cache_control caller'),
  tool_result: names('type tool_use_id content is_error cache_control'),
  image: names('type source cache_control'),
  document: names('type source title context citations cache_control'),
}

const ofTool = names(
  'type name description input_schema cache_control strict eager_input_streaming allowed_callers input_examples defer_loading',
)

const single: Readonly<Record<string, ReadonlySet<string>>> = {
  thinking: names('type budget_tokens display'),
  tool_choice: names('type name disable_parallel_tool_use'),
  metadata: names('user_id'),
  output_config: names('effort format task_budget'),
}

/** How many places of a prompt may be marked for the cache (Claude docs, prompt caching). */
const cacheMarksMax = 4

/** The API's error message for the first field that it does not know; undefined if it knows all. */
export function unknownClaudeField(body: Fields): string | undefined {
  for (const [field, known] of Object.entries(single)) {
    const unknown = unknownIn(body[field], known)
    if (unknown !== undefined) return refused(`${field}.${unknown}`)
  }
  for (const [at, tool] of listOf(body['tools']).entries()) {
    const own = tool['type'] === undefined || tool['type'] === 'custom'
    const unknown = own ? unknownIn(tool, ofTool) : undefined
    if (unknown !== undefined) return refused(`tools.${at}.custom.${unknown}`)
  }
  const messages = listOf(body['messages'])
  for (const [at, message] of messages.entries()) {
    const unknown =
      unknownIn(message, names('role content')) ??
      unknownBlock(message['content'], `messages.${at}.content`)
    if (unknown !== undefined) return refused(unknown)
  }
  const unknown = unknownBlock(body['system'], 'system')
  if (unknown !== undefined) return refused(unknown)
  const marks = marksIn([body['tools'], body['system'], messages.map(({ content }) => content)])
  return marks > cacheMarksMax
    ? `A maximum of ${cacheMarksMax} blocks with cache_control may be provided. Found ${marks}.`
    : undefined
}

const refused = (path: string) => `${path}: Extra inputs are not permitted`

const listOf = (value: unknown) => (Array.isArray(value) ? value : []) as readonly Fields[]

function unknownBlock(content: unknown, path: string): string | undefined {
  for (const [at, block] of listOf(content).entries()) {
    const type = String(block['type'])
    const unknown = unknownOfKind(block, blocks, type)
    if (unknown !== undefined) return `${path}.${at}.${type}.${unknown}`
    const inner = unknownBlock(block['content'], `${path}.${at}.${type}.content`)
    if (inner !== undefined) return inner
  }
  return undefined
}

/** Blocks and tools that are marked, at any depth. */
function marksIn(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + marksIn(item), 0)
  if (typeof value !== 'object' || value === null) return 0
  const { cache_control: mark, content } = value as Fields
  return (mark == null ? 0 : 1) + marksIn(content)
}
