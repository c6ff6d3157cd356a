import { GatewayError } from '@sluice/contract'
import { RefusedData } from './database.ts'

/**
 * Result codes of temporary failures (https://sqlite.org/rescode.html): busy, locked, read-only, I/O error, full, cannot open.
 * The statement is not at fault and may succeed later.
 */
const temporary: ReadonlySet<number> = new Set([5, 6, 8, 10, 13, 14])

/** SQLITE_CONSTRAINT. */
const constraint = 19

/**
 * Converts an error of SQLite: `overloaded` if the file cannot be read or written at the moment, RefusedData for a broken
 * constraint.
 */
export function sqliteError(thrown: unknown): unknown {
  if (!(thrown instanceof Error) || !('errcode' in thrown)) return thrown
  const { errcode } = thrown
  if (typeof errcode === 'number' && (errcode & 0xff) === constraint)
    return new RefusedData(thrown.message, { cause: thrown })
  return typeof errcode === 'number' && temporary.has(errcode & 0xff)
    ? unavailable(thrown, `Nothing can be kept for now: ${thrown.message}`)
    : thrown
}

/**
 * The error for a database that is temporarily unavailable. `message` is shown to callers, so it must not reveal where the
 * database is.
 */
export function unavailable(
  cause: unknown,
  message = 'The database cannot be used for now',
): GatewayError {
  return new GatewayError('overloaded', message, { cause, retryAfterMs: 5_000 })
}

/** True for SQLITE_BUSY, https://sqlite.org/rescode.html#busy. */
export function isLocked(error: unknown): boolean {
  if (!(error instanceof Error) || !('errcode' in error)) return false
  return typeof error.errcode === 'number' && (error.errcode & 0xff) === 5
}
