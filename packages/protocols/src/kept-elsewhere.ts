import { isObject, type UnlistedField, unlistedFields } from '@sluice/contract'
import type { Reports } from './native-target.ts'
import type { TSchema } from 'typebox'

/**
 * Names, in snake case, of fields that say that a part of the request is kept by a server: the conversation so far, its
 * prompt, or files. A target that does not know such a field would answer something else, so it never just advises.
 *
 * Not among them are names that only group or route requests: OpenRouter's `session_id` ("used as the sticky routing key",
 * OpenRouter API reference, also for Messages) and LiteLLM's, `prompt_cache_key`, `user`, vLLM's `cache_salt`, and everything
 * inside `metadata`.
 */
const names: RegExp = anyOf([
  // The conversation: Responses, Anthropic's threads, Gemini's interactions and live sessions, and servers like them.
  /^(?:previous|prev)_(?:\w+_)?ids?$/,
  /^(?:parent|last)_(?:message|response|interaction)_id$/,
  /^(?:\w+_)?conversations?(?:_(?:id|key|token|ref))?$/,
  /^(?:message_)?thread(?:_(?:id|key|token|ref))?$/,
  /^(?:chat_)?session$|^chat_session_id$|^session_(?:token|key|handle|resumption\w*)$/,
  /^(?:interaction|context|memory|state)_id$/,
  /^continuation(?:_\w+)?$|^continue_from(?:_\w+)?$|^resume_(?:\w+_)?(?:id|token|handle)$/,
  // The prompt: stored prompts, presets and cached contents.
  /^prompt(?:_(?:id|ref|arn|version_id|template|template_id))?$/,
  /^preset(?:_id)?$|^assistant_id$/,
  /^cached_(?:\w+_)?(?:contents?|contexts?|prompts?|messages?|id|name)$|^(?:\w+_)?cache_id$/,
  // Files, and what is searched for them.
  /^containers?(?:_(?:id|ids|ref))?$/,
  /^(?:file|document|image|audio|video|attachment|artifact|dataset|vector_store|knowledge_base)_ids?$/,
  /^(?:attachments|data_sources|file_references|knowledge_bases)$/,
])

/** Levels of an object that are searched; no client nests these fields deeper. */
const levelsMax = 4

/**
 * The path below `path` of a field that says that a part of the request is kept elsewhere; undefined if neither the field at
 * `path` nor, in an `extra_body` that was not merged into the request, one inside it does.
 */
export function keptElsewhere(path: string, value: unknown): string | undefined {
  // Each tool is decided about as a whole; a container is how code execution is asked for.
  if (/(?:^|\.)tools\[/.test(path)) return undefined
  const name = path.slice(path.lastIndexOf('.') + 1)
  if (refersTo(name, value)) return path
  return name === 'extra_body' ? inside(path, value, levelsMax) : undefined
}

function inside(path: string, value: unknown, levels: number): string | undefined {
  if (!isObject(value) || levels === 0) return undefined
  for (const [name, inner] of Object.entries(value)) {
    const place = `${path}.${name}`
    const found = refersTo(name, inner) ? place : inside(place, inner, levels - 1)
    if (found !== undefined) return found
  }
  return undefined
}

/** A number refers to something only if it is an id: `thread: 4` is a number of threads. */
function refersTo(name: string, value: unknown): boolean {
  if (typeof value === 'boolean' || value === null || value === undefined || value === '')
    return false
  const words = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  if (typeof value === 'number' && !/_ids?$/.test(words)) return false
  return names.test(words)
}

/** A caller may send as many fields as fit in a request: their names are compared with all patterns at once. */
function anyOf(patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join('|'))
}

/** Handles the fields of a request that its schema does not list, for a target that knows none of them. */
export function reportUnlistedIn(schema: TSchema, request: unknown, reports: Reports): void {
  reportFields(unlistedFields(schema, request), reports)
}

/** Leaves out what only advises. A field that says that a part of the request is kept elsewhere never does. */
export function reportFields(
  unlisted: readonly UnlistedField[],
  { leftOut, unsupported }: Reports,
  further: Readonly<Record<string, 'hint' | 'refused'>> = {},
): void {
  for (const { path, value } of unlisted) {
    const kept = keptElsewhere(path, value)
    if (kept !== undefined) unsupported(kept)
    else if (Object.hasOwn(further, path) && further[path] === 'refused') unsupported(path)
    else leftOut(path)
  }
}
