import { isObject, listOf, objectOf, someText } from '@sluice/contract'
import { itemsOf, namedInTool, type ResponsesRequest, responseNotFound } from '@sluice/protocols'
import { checkNamed, type Named } from '../attempt/named-ids.ts'
import { nativeOf } from '../attempt/prepare.ts'
import type { UpstreamTarget } from '../route/routing.ts'
import type { CallRun } from '../attempt/call-run.ts'

/** Refuses a request that references an object of another key or, unless the provider shares ids, of no known key. */
export async function checkNamedIds(run: CallRun): Promise<void> {
  const target = nativeTarget(run)
  if (!target) return
  const named = namedIn(run.call.request.value as ResponsesRequest)
  await checkNamed(run, target, named)
}

/** Checks that the upstream may continue a response that is not stored here. */
export async function checkPreviousId(
  run: CallRun,
  target: UpstreamTarget,
  id: string,
): Promise<void> {
  // A known id without a stored response was deleted, whoever owned it.
  const [row] = await run.gateway.store.findUpstreamIds([id])
  if (row || !target.upstream.sharesIds) throw responseNotFound(id)
}

/** The first target that would receive the request unchanged. */
function nativeTarget({ gateway, call, route }: CallRun): UpstreamTarget | undefined {
  const targets = route.levels.flat().filter((target) => target.kind === 'upstream')
  return targets.find((target) => nativeOf(gateway, call, target) !== undefined)
}

function namedIn(request: ResponsesRequest): readonly Named[] {
  const { conversation, prompt, tools } = request
  return [
    ...reference(typeof conversation === 'string' ? conversation : objectOf(conversation)['id'], [
      'conversation',
    ]),
    ...reference(objectOf(prompt)['id'], ['prompt', 'id']),
    ...Object.entries(objectOf(objectOf(prompt)['variables'])).flatMap(([name, value]) =>
      partsIn(value, ['prompt.variables', name]),
    ),
    ...itemsOf(request).flatMap((item, index) => inItem(item, index)),
    ...inTools(tools, 'tools'),
  ]
}

function inTools(tools: unknown, path: string): readonly Named[] {
  return listOf(tools)
    .flatMap((tool, index) => namedInTool(objectOf(tool), `${path}[${index}]`))
    .map((one) => ({ ...one, isReference: true }))
}

function reference(id: unknown, path: readonly string[]): readonly Named[] {
  const text = someText(id)
  return text === undefined ? [] : [{ id: text, param: path.join('.'), isReference: true }]
}

function inItem(item: Readonly<Record<string, unknown>>, index: number): readonly Named[] {
  const path = `input[${index}]`
  const id = someText(item['id'])
  return [
    ...(id === undefined || !isShort(item)
      ? []
      : [{ id, param: `${path}.id`, isReference: item['type'] !== 'reasoning' }]),
    ...containerOf(item, path),
    ...inTools(item['tools'], `${path}.tools`),
    ...partsIn(item['content'], [path, 'content']),
    ...partsIn(item['output'], [path, 'output']),
  ]
}

/** The container of an earlier tool call, which a tool with on-demand containers reuses. */
function containerOf(item: Readonly<Record<string, unknown>>, path: string): readonly Named[] {
  const places = [
    [item['container_id'], `${path}.container_id`],
    [objectOf(item['environment'])['container_id'], `${path}.environment.container_id`],
  ] as const
  return places.flatMap(([id, param]) => {
    const text = someText(id)
    return text === undefined ? [] : [{ id: text, param, isReference: false }]
  })
}

/** Whether an item is little more than its id, so that the upstream looks up the rest. */
function isShort({ type, role, result, ...rest }: Readonly<Record<string, unknown>>): boolean {
  switch (type) {
    case 'item_reference':
      return true
    case 'image_generation_call':
      return result === undefined || result === null
    case 'reasoning':
      return rest['encrypted_content'] == null && listOf(rest['content']).length === 0
    case undefined:
    case null:
      return role === undefined
    default:
      return false
  }
}

/** File ids in the parts of a message, a tool output or a prompt variable. */
function partsIn(parts: unknown, path: readonly string[]): readonly Named[] {
  if (isObject(parts)) return reference(parts['file_id'], [...path, 'file_id'])
  return listOf(parts).flatMap((part, index) =>
    reference(objectOf(part)['file_id'], [`${path.join('.')}[${index}]`, 'file_id']),
  )
}

/**
 * The ids an upstream can resolve after creating a response: the response, its items, and the containers and files of
 * its tools.
 */
export function idsOf(id: string, output: readonly unknown[]): readonly string[] {
  const found = output.flatMap((item) => {
    const { id: itemId, container_id: container, environment, content } = objectOf(item)
    const files = listOf(content).flatMap((part) =>
      listOf(objectOf(part)['annotations']).flatMap((note) =>
        objectOf(note)['type'] === 'container_file_citation'
          ? [objectOf(note)['file_id'], objectOf(note)['container_id']]
          : [],
      ),
    )
    return [itemId, container, objectOf(environment)['container_id'], ...files]
  })
  return [id, ...found.flatMap((one) => someText(one) ?? [])]
}
