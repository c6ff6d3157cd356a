import { type Fields, isObject, listOf } from '@sluice/contract'
import type { Change, Reports } from '../../native-target.ts'
import { isCombined, objectSchema } from '../../tools/object-schema.ts'
import { spelled } from '../spelling.ts'

type Told = Pick<Reports, 'leftOut'>

/** The change of the tools in a request that is passed on, if the schema of a function is not a single object. */
export function objectDeclarations(request: Fields, reports: Told): readonly Change[] {
  const tools = listOf(request['tools'])
  if (!tools.some((tool) => declarationsOf(tool).some(hasCombination))) return []
  // Long texts may be missing here, so that the tools are changed where they are whole; what is lost is the same.
  objectsOf(tools, reports)
  return [{ path: ['tools'], change: (list) => objectsOf(listOf(list), quiet) }]
}

const quiet = { leftOut: () => {} }

/** A function has its schema in one of these (https://ai.google.dev/api/caching#FunctionDeclaration). */
const schemaNames = ['parametersJsonSchema', 'parameters']

function declarationsOf(tool: unknown): readonly unknown[] {
  return isObject(tool) ? listOf(tool[spelled(tool, 'functionDeclarations')]) : []
}

function hasCombination(declared: unknown): boolean {
  return (
    isObject(declared) && schemaNames.some((name) => isCombined(declared[spelled(declared, name)]))
  )
}

function objectsOf(tools: readonly unknown[], reports: Told): readonly unknown[] {
  return tools.map((tool, index) => {
    if (!isObject(tool) || !declarationsOf(tool).some(hasCombination)) return tool
    const name = spelled(tool, 'functionDeclarations')
    const changed = declarationsOf(tool).map((declared, place) =>
      isObject(declared)
        ? objectDeclared(declared, `tools[${index}].${name}[${place}]`, reports)
        : declared,
    )
    return { ...tool, [name]: changed }
  })
}

function objectDeclared(declared: Fields, path: string, reports: Told): Fields {
  const schemas = schemaNames.flatMap((given) => {
    const name = spelled(declared, given)
    const schema = declared[name]
    return isObject(schema)
      ? [[name, objectSchema(schema, `${path}.${name}`, reports)] as const]
      : []
  })
  return { ...declared, ...Object.fromEntries(schemas) }
}
