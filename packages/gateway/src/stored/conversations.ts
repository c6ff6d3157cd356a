import {
  type Fields,
  GatewayError,
  invalidRequest,
  missingParameter,
  objectOf,
  parseJson,
} from '@sluice/contract'
import { inputItems, isReference } from '@sluice/protocols/openai-responses/client/history.ts'
import { measureResponse } from '@sluice/protocols/openai-responses/client/measure.ts'
import type { InputItem, OutputItem } from '@sluice/protocols/openai-responses/client/schema.ts'
import { mediaTokensOf } from '../admit/input-size.ts'
import type { ApiKey } from '../ports/api-key.ts'
import type { ConversationItem, StoredConversation } from '../ports/conversation-store.ts'
import type { StoredParts } from './stored-parts.ts'

/** What operations on conversations need of the gateway. */
type Parts = Pick<StoredParts, 'store' | 'now' | 'newId' | 'storageQuota' | 'current'>

/** How many items a request may add (OpenAI API, conversations). */
export const itemsPerRequestMax = 20

type Metadata = StoredConversation['metadata']

/** Finds a conversation of this key. One of another key is reported as not found. */
export async function findConversation(
  { store }: Pick<Parts, 'store'>,
  key: ApiKey,
  id: string,
): Promise<StoredConversation> {
  const stored = await store.findConversation(id)
  if (stored?.keyId === key.id) return stored
  throw conversationNotFound(id, 'conversation_id')
}

/** OpenAI's error for an unknown conversation. */
export function conversationNotFound(id: string, param: string): GatewayError {
  return new GatewayError('not_found', `Conversation with id '${id.slice(0, 100)}' not found.`, {
    param,
  })
}

/** A new conversation that begins with these items. */
interface Beginning {
  readonly items: readonly InputItem[]
  readonly metadata: Fields
}

export async function createConversation(
  gateway: Parts,
  key: ApiKey,
  { items, metadata }: Beginning,
): Promise<StoredConversation> {
  checkItems(items)
  const id = gateway.newId('conv_')
  const at = gateway.now()
  const made = {
    id,
    keyId: key.id,
    createdAt: Math.floor(at / 1000),
    metadata: checkedMetadata(metadata),
  }
  const listed = inputItems({ input: [...items] }, gateway.newId)
  checkUnique(listed, [])
  checkRoom(gateway, { items: 0, bytes: 0 }, listed)
  await gateway.store.addConversation(made, at)
  await addItems(gateway, made, listed)
  return findConversation(gateway, key, id)
}

/** Replaces the metadata. */
export async function updateConversation(
  gateway: Parts,
  key: ApiKey,
  { id, metadata }: { readonly id: string; readonly metadata: Fields },
): Promise<StoredConversation> {
  await findConversation(gateway, key, id)
  await gateway.store.updateConversation(id, checkedMetadata(metadata))
  return findConversation(gateway, key, id)
}

/** Adds items at the end, and returns them as they are kept. */
export async function createItems(
  gateway: Parts,
  key: ApiKey,
  { id, items }: { readonly id: string; readonly items: readonly InputItem[] },
): Promise<readonly OutputItem[]> {
  const stored = await findConversation(gateway, key, id)
  checkItems(items)
  const listed = inputItems({ input: [...items] }, gateway.newId)
  const given = items.flatMap((item) => (item.id == null ? [] : [item.id]))
  const known = await Promise.all(given.map((one) => gateway.store.findItem(id, one)))
  checkUnique(
    listed,
    known.flatMap((one) => one?.id ?? []),
  )
  checkRoom(gateway, stored, listed)
  if (!(await addItems(gateway, stored, listed))) throw conversationNotFound(id, 'conversation_id')
  return listed
}

async function addItems(
  gateway: Parts,
  { id, keyId }: Pick<StoredConversation, 'id' | 'keyId'>,
  items: readonly OutputItem[],
): Promise<boolean> {
  const texts = textsOf(items)
  const addition = {
    items: texts,
    tokens: tokensOf(items),
    isTotal: false,
    at: gateway.now(),
  }
  const isAdded = await gateway.store.appendItems(id, addition)
  await gateway.storageQuota.conversationGrew(keyId, bytesOf(texts))
  return isAdded
}

export function textsOf(items: readonly OutputItem[]): readonly ConversationItem[] {
  return items.map((item) => ({ id: item.id, item: JSON.stringify(item) }))
}

export function bytesOf(texts: readonly ConversationItem[]): number {
  return texts.reduce((sum, { item }) => sum + Buffer.byteLength(item), 0)
}

/** Two bytes for a token is less than texts have: what is reserved for it suffices. */
const bytesPerToken = 2

/** About the most tokens that a model counts for items. */
export function tokensOf(items: readonly OutputItem[]): number {
  const measured = measureResponse({ input: items })
  const media = measured.media.reduce((sum, { characters }) => sum + characters, 0)
  const texts = Math.max(0, bytesOf(textsOf(items)) - media)
  return Math.ceil(texts / bytesPerToken) + mediaTokensOf(measured)
}

/** Finds an item of a conversation of this key. */
export async function findItem(
  gateway: Parts,
  key: ApiKey,
  { id, itemId }: { readonly id: string; readonly itemId: string },
): Promise<Fields> {
  await findConversation(gateway, key, id)
  const found = await gateway.store.findItem(id, itemId)
  if (found) return objectOf(parseJson(found.item))
  throw itemNotFound(itemId)
}

/** Deletes an item, and returns the conversation without it. */
export async function deleteItem(
  gateway: Parts,
  key: ApiKey,
  { id, itemId }: { readonly id: string; readonly itemId: string },
): Promise<StoredConversation> {
  await findConversation(gateway, key, id)
  if (!(await gateway.store.deleteItem(id, itemId))) throw itemNotFound(itemId)
  return findConversation(gateway, key, id)
}

function itemNotFound(id: string): GatewayError {
  return new GatewayError('not_found', `Item with id '${id.slice(0, 100)}' not found.`, {
    param: 'item_id',
  })
}

/** What an item cannot do without, by its type. */
const required: Readonly<Record<string, readonly string[]>> = {
  message: ['role', 'content'],
  function_call: ['call_id', 'name', 'arguments'],
  function_call_output: ['call_id', 'output'],
  custom_tool_call: ['call_id', 'name', 'input'],
  custom_tool_call_output: ['call_id', 'output'],
}

function checkItems(items: readonly InputItem[]): void {
  for (const [index, item] of items.entries()) {
    const path = `items[${index}]`
    if (isReference(item))
      throw invalidRequest('A conversation takes whole items, not references', `${path}.type`)
    const fields: Fields = item
    for (const name of required[item.type ?? 'message'] ?? [])
      if (fields[name] == null) throw missingParameter(`${path}.${name}`)
  }
}

function checkUnique(items: readonly OutputItem[], known: readonly string[]): void {
  const ids = new Set(known)
  for (const [index, { id }] of items.entries()) {
    if (ids.has(id))
      throw invalidRequest('The conversation has an item with this id', `items[${index}].id`)
    ids.add(id)
  }
}

/**
 * Whether a conversation may get these items.
 *
 * @throws GatewayError `too_large` beyond the limits of one conversation.
 */
export function checkRoom(
  { current: { limits } }: Pick<Parts, 'current'>,
  conversation: Pick<StoredConversation, 'items' | 'bytes'>,
  added: readonly OutputItem[],
): void {
  const { items, bytes } = limits.keptConversations
  if (conversation.items + added.length > items)
    throw full(`${items} items (limits.keptConversations.items)`)
  if (conversation.bytes + bytesOf(textsOf(added)) > bytes)
    throw full(`${bytes} bytes (limits.keptConversations.bytes)`)
}

function full(most: string): GatewayError {
  return new GatewayError(
    'too_large',
    `A conversation has at most ${most}: delete items, or begin another one`,
    { param: 'items', publicCode: 'conversation_full' },
  )
}

const pairsMax = 16
const nameLengthMax = 64
const valueLengthMax = 512

/** Metadata within the limits of OpenAI's API. */
function checkedMetadata(metadata: Fields): Metadata {
  const pairs = Object.entries(metadata)
  if (pairs.length > pairsMax)
    throw invalidRequest(`metadata has at most ${pairsMax} entries`, 'metadata')
  for (const [name, value] of pairs) {
    const param = `metadata.${name.slice(0, nameLengthMax)}`
    if (name.length > nameLengthMax)
      throw invalidRequest(`A name in metadata has at most ${nameLengthMax} characters`, param)
    if (typeof value !== 'string' || value.length > valueLengthMax)
      throw invalidRequest(
        `A value in metadata is a text of at most ${valueLengthMax} characters`,
        param,
      )
  }
  return metadata as Metadata
}
