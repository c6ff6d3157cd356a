import { isObject, type UploadedFile } from '@sluice/contract'
import type { FormPart } from '../../protocol.ts'

/**
 * Fields as parts of a multipart form: lists become repeated `name[]`, objects become JSON, null is left out. An uploaded file
 * is a part of its own.
 */
export function formParts(fields: Readonly<Record<string, unknown>>): FormPart[] {
  return Object.entries(fields).flatMap(([name, value]) => partsOf(name, value))
}

function partsOf(name: string, value: unknown): FormPart[] {
  if (value === null || value === undefined) return []
  if (isUploadedFile(value)) return [{ name, file: value }]
  if (Array.isArray(value)) return value.flatMap((item) => partsOf(`${name}[]`, item))
  return [{ name, value: typeof value === 'string' ? value : JSON.stringify(value) }]
}

export function isUploadedFile(value: unknown): value is UploadedFile {
  return isObject(value) && value['bytes'] instanceof Uint8Array
}
