import { type Fields, isObject, listOf, objectOf } from '@sluice/contract'
import { takesIdsAtVertex } from '../../families/gemini.ts'
import type { Change, NativeTarget } from '../../native-target.ts'
import type { Native } from '../../protocol.ts'
import { spelled } from '../spelling.ts'

/** The natives of Vertex AI, which leave out the ids of calls and results where a model does not take them. Parts keep their order. */
export function withoutCallIds(native: Native): Native {
  return {
    ...native,
    adapted: (request, found, target) => [
      ...(native.adapted?.(request, found, target) ?? []),
      ...droppedIds(request, target),
    ],
  }
}

function droppedIds(request: unknown, { family }: NativeTarget): readonly Change[] {
  const { contents } = objectOf(request)
  if (takesIdsAtVertex(family) || !listOf(contents).some(hasIds)) return []
  return [{ path: ['contents'], change: (list) => listOf(list).map(contentWithout) }]
}

function hasIds(content: unknown): boolean {
  return listOf(objectOf(content)['parts']).some((part) => partWithout(part) !== part)
}

function contentWithout(content: unknown): unknown {
  if (!isObject(content) || !hasIds(content)) return content
  return { ...content, parts: listOf(content['parts']).map(partWithout) }
}

function partWithout(part: unknown): unknown {
  if (!isObject(part)) return part
  const changed: Fields = Object.fromEntries(
    ['functionCall', 'functionResponse'].flatMap((name) => {
      const own = spelled(part, name)
      const inner = part[own]
      if (!isObject(inner) || inner['id'] == null) return []
      const { id: _, ...rest } = inner
      return [[own, rest]]
    }),
  )
  return Object.keys(changed).length === 0 ? part : { ...part, ...changed }
}
