import { AnyObject, invalidRequest, objectOf, optional, parseJson, Type } from '@sluice/contract'
import type { StoredConversation } from '@sluice/gateway/ports/conversation-store.ts'
import {
  createConversation,
  createItems,
  deleteItem,
  findConversation,
  findItem,
  itemsPerRequestMax,
  updateConversation,
} from '@sluice/gateway/stored/conversations.ts'
import { InputItem } from '@sluice/protocols/openai-responses/client/schema.ts'
import type { Exchange } from './address.ts'
import { addressOf, endpoint } from './endpoint.ts'
import { pageOfItems, paging, pagingOf } from './query.ts'
import { anyObject, byName, constant, integer, object, pageOf, text } from './shapes.ts'

const facts = { access: 'caller', operation: 'chat', tag: 'Conversations' } as const
const path = '/v1/conversations/{id}'
const itemPath = `${path}/items/{item}` as const

const reply = object({
  id: text,
  object: constant('conversation'),
  created_at: integer,
  metadata: byName(text),
})
const InputItems = Type.Array(InputItem, { maxItems: itemsPerRequestMax })
const example = { items: [{ type: 'message', role: 'user', content: 'What is 6 times 7?' }] }

/** Conversations of responses, and their items (OpenAI API, conversations). */
const endpoints = [
  endpoint({
    ...facts,
    method: 'POST',
    path: '/v1/conversations',
    operationId: 'createConversation',
    summary: 'Create a conversation',
    body: Type.Object({ items: optional(InputItems), metadata: optional(AnyObject) }),
    example: { ...example, metadata: { topic: 'sums' } },
    reply,
    async answer({ body: { items, metadata } }, { gateway, key }) {
      const given = (items ?? []) as readonly InputItem[]
      const beginning = { items: given, metadata: metadata ?? {} }
      return shown(await createConversation(gateway, key, beginning))
    },
  }),
  endpoint({
    ...facts,
    method: 'GET',
    path,
    operationId: 'getConversation',
    summary: 'Retrieve a conversation',
    reply,
    async answer({ path: { id } }, { gateway, key }) {
      return shown(await findConversation(gateway, key, id))
    },
  }),
  endpoint({
    ...facts,
    method: 'POST',
    path,
    operationId: 'updateConversation',
    summary: 'Replace the metadata of a conversation',
    body: Type.Object({ metadata: AnyObject }),
    example: { metadata: { topic: 'sums' } },
    reply,
    async answer({ path: { id }, body: { metadata } }, { gateway, key }) {
      return shown(await updateConversation(gateway, key, { id, metadata }))
    },
  }),
  endpoint({
    ...facts,
    method: 'DELETE',
    path,
    operationId: 'deleteConversation',
    summary: 'Delete a conversation with its items',
    reply: object({ id: text, object: constant('conversation.deleted'), deleted: constant(true) }),
    async answer({ path: { id } }, { gateway, key }) {
      await findConversation(gateway, key, id)
      await gateway.store.deleteConversation(id)
      return { id, object: 'conversation.deleted' as const, deleted: true as const }
    },
  }),
  endpoint({
    ...facts,
    method: 'POST',
    path: `${path}/items`,
    operationId: 'createConversationItems',
    summary: 'Add items to a conversation',
    body: Type.Object({ items: InputItems }),
    example,
    reply: pageOf(anyObject),
    async answer({ path: { id }, body: { items } }, { gateway, key, request }) {
      checkInclude(request)
      const made = await createItems(gateway, key, { id, items: items as readonly InputItem[] })
      return pageOfItems(made, made.length)
    },
  }),
  endpoint({
    ...facts,
    method: 'GET',
    path: `${path}/items`,
    operationId: 'listConversationItems',
    summary: 'List the items of a conversation',
    query: paging,
    reply: pageOf(anyObject),
    async answer({ path: { id }, query }, { gateway, key, request }) {
      const { limit, after, isAscending } = pagingOf(query)
      checkInclude(request)
      await findConversation(gateway, key, id)
      if (after !== undefined && !(await gateway.store.findItem(id, after)))
        throw invalidRequest('There is no item with this id in the conversation', 'after')
      const page = { limit: limit + 1, after, ascending: isAscending }
      const found = await gateway.store.listItems(id, page)
      return pageOfItems(found.map(itemOf), limit)
    },
  }),
  endpoint({
    ...facts,
    method: 'GET',
    path: itemPath,
    operationId: 'getConversationItem',
    summary: 'Retrieve an item of a conversation',
    reply: anyObject,
    async answer({ path: { id, item: itemId } }, { gateway, key, request }) {
      checkInclude(request)
      return findItem(gateway, key, { id, itemId })
    },
  }),
  endpoint({
    ...facts,
    method: 'DELETE',
    path: itemPath,
    operationId: 'deleteConversationItem',
    summary: 'Delete an item of a conversation',
    reply,
    async answer({ path: { id, item: itemId } }, { gateway, key }) {
      return shown(await deleteItem(gateway, key, { id, itemId }))
    },
  }),
]

function shown({ id, createdAt, metadata }: StoredConversation) {
  return { id, object: 'conversation' as const, created_at: createdAt, metadata }
}

function itemOf({ id, item }: { readonly id: string; readonly item: string }) {
  return { ...objectOf(parseJson(item)), id }
}

/** What `include` may ask for (OpenAI API, IncludeEnum). Items are kept and shown whole. */
const includable: ReadonlySet<unknown> = new Set([
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'message.input_image.image_url',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
  'reasoning.encrypted_content',
  'message.output_text.logprobs',
])

/** Refuses a word that `include` does not have. SDKs repeat the parameter, with brackets or without. */
function checkInclude({ query }: Exchange['request']): void {
  const given = objectOf(query)
  for (const word of [given['include'], given['include[]']].flat())
    if (word !== undefined && !includable.has(word))
      throw invalidRequest(`include has no ${JSON.stringify(word).slice(0, 100)}`, 'include')
}

export const conversationAddresses = endpoints.map(addressOf)
