import { objectOf } from '@sluice/contract'
import type { TLocalizedValidationError } from 'typebox/error'
import type { Path } from './references.ts'
import { configFileSchema } from './schema.ts'
import { didYouMean } from '@sluice/gateway/settings/similar-name.ts'

/** A mistake: its path and description, without the value, which may be secret. */
export interface Mistake {
  readonly path: Path
  readonly problem: string
}

type ValidationError = TLocalizedValidationError

/** Reduces a validator's errors to what is useful: only the best-matching arm of a union, and each unknown name once. */
export function explainErrors(errors: readonly ValidationError[], value: unknown): Mistake[] {
  const mistakes: Mistake[] = []
  for (const error of errors) {
    if (isNoise(error, errors)) continue
    const path = parsePointer(error.instancePath, value)
    if (error.keyword === 'additionalProperties')
      for (const name of error.params.additionalProperties)
        mistakes.push({ path: [...path, name], problem: unknownName(name, error.schemaPath) })
    else if (error.keyword === 'required')
      for (const name of error.params.requiredProperties)
        mistakes.push({ path, problem: `must have ${name}` })
    else mistakes.push({ path, problem: describe(error, valueAt(value, path)) })
  }
  return mistakes
}

function unknownName(name: string, schemaPath: string): string {
  const suggestion = didYouMean(name, propertiesAt(schemaPath))
  const known = `is not a setting`
  return suggestion === '' ? known : `${known}. ${suggestion}`
}

/** The property names in the part of the schema at a JSON Pointer such as `#/properties/server`. */
function propertiesAt(schemaPath: string): readonly string[] {
  const path = [...schemaPath.split('/').slice(1), 'properties']
  return Object.keys(objectOf(valueAt(configFileSchema, path)))
}

/**
 * A union fails with the errors of all its arms. Errors of the arm that matches the value's kind are useful; those of the
 * others, and of the union itself, only if no arm matches.
 */
function isNoise(error: ValidationError, errors: readonly ValidationError[]): boolean {
  if (error.keyword === 'boolean') return true
  if (error.keyword === 'anyOf') return errors.some((other) => isInFittingArm(other, error, errors))
  return errors.some(
    (union) =>
      union.keyword === 'anyOf' &&
      armOf(error, union) !== undefined &&
      !isInFittingArm(error, union, errors),
  )
}

function isInFittingArm(
  error: ValidationError,
  union: ValidationError,
  errors: readonly ValidationError[],
): boolean {
  const arm = armOf(error, union)
  if (arm === undefined) return false
  const isOfWrongKind = ({ keyword, schemaPath, instancePath }: ValidationError) =>
    keyword === 'type' && schemaPath === arm && instancePath === union.instancePath
  return !errors.some(isOfWrongKind)
}

/** The schema path of the union's arm that an error came from. */
function armOf(error: ValidationError, union: ValidationError): string | undefined {
  const arms = `${union.schemaPath}/anyOf/`
  if (error === union || !error.schemaPath.startsWith(arms)) return undefined
  if (!`${error.instancePath}/`.startsWith(`${union.instancePath}/`)) return undefined
  return arms + error.schemaPath.slice(arms.length).split('/')[0]
}

function describe(error: ValidationError, given: unknown): string {
  switch (error.keyword) {
    case 'type':
      return `must be ${kindName(String(error.params.type))}, got ${kindOf(given)}`
    case 'enum':
      return `must be one of ${error.params.allowedValues.join(', ')}`
    case 'anyOf':
      return `must be a string or a map, got ${kindOf(given)}`
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return `must be ${error.params.comparison} ${error.params.limit}, got ${String(given)}`
    case 'minLength':
    case 'minItems':
      return 'must not be empty'
    case 'pattern':
      return error.params.pattern.toString().includes('https?')
        ? 'must be a URL that begins with http:// or https://'
        : 'must have the form provider/model'
    default:
      return error.message
  }
}

function kindName(type: string): string {
  const names: Record<string, string> = {
    string: 'a string',
    integer: 'a whole number',
    number: 'a number',
    boolean: 'true or false',
    array: 'a list',
    object: 'a map',
  }
  return names[type] ?? type
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'number') return 'a number'
  if (typeof value === 'boolean') return String(value)
  return typeof value === 'string' ? 'a string' : 'a map'
}

/** Parses a JSON Pointer (RFC 6901), with list positions as numbers. */
function parsePointer(pointer: string, value: unknown): Path {
  const path: (string | number)[] = []
  for (const part of pointer.split('/').slice(1)) {
    const step = part.replaceAll('~1', '/').replaceAll('~0', '~')
    path.push(Array.isArray(valueAt(value, path)) ? Number(step) : step)
  }
  return path
}

function valueAt(value: unknown, path: Path): unknown {
  let part = value
  for (const step of path) {
    if (typeof part !== 'object' || part === null) return undefined
    part = (part as Record<string | number, unknown>)[step]
  }
  return part
}
