import { isObject, listOf } from '@sluice/contract'
import type { Change, Reports } from '../native-target.ts'
import { isCombined, objectDeclaration, objectSchema } from './object-schema.ts'

/** Where the tools of a client format have their schemas. */
type Form = 'chat' | 'messages' | 'responses'

/** The change of the tools in a request that is passed on, if the schema of one is not a single object. */
export function objectTools(request: object, form: Form, reports: Reports): readonly Change[] {
  const tools = listOf((request as { readonly tools?: unknown }).tools)
  if (!tools.some((tool) => isCombined(schemaOf(tool, form)))) return []
  // Long texts may be missing here, so that the tools are changed where they are whole; what is lost is the same.
  objectsOf(tools, form, reports)
  return [{ path: ['tools'], change: (list) => objectsOf(listOf(list), form, quiet) }]
}

const quiet = { leftOut: () => {} }

function schemaOf(tool: unknown, form: Form): unknown {
  if (!isObject(tool)) return undefined
  if (form === 'messages') return tool['input_schema']
  const declared = form === 'chat' ? tool['function'] : tool
  return isObject(declared) ? declared['parameters'] : undefined
}

function objectsOf(
  tools: readonly unknown[],
  form: Form,
  reports: Pick<Reports, 'leftOut'>,
): readonly unknown[] {
  return tools.map((tool, index) => {
    const path = `tools[${index}]`
    if (!isObject(tool) || !isCombined(schemaOf(tool, form))) return tool
    if (form === 'responses') return objectDeclaration(tool, path, reports)
    const { function: declared, input_schema: schema } = tool
    if (form === 'chat' && isObject(declared))
      return { ...tool, function: objectDeclaration(declared, `${path}.function`, reports) }
    return isObject(schema)
      ? { ...tool, input_schema: objectSchema(schema, `${path}.input_schema`, reports) }
      : tool
  })
}
