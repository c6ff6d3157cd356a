import { GatewayError } from '@sluice/contract'
import { RefusedData } from './database.ts'

/**
 * Busy, locked, read-only, failing, full or gone (https://sqlite.org/rescode.html): no fault of the statement, and
 * another time it may do.
 */
const passing: ReadonlySet<number> = new Set([5, 6, 8, 10, 13, 14])

/** SQLITE_CONSTRAINT. */
const constraint = 19

/**
 * What SQLite threw; `overloaded` where its file cannot be written or read for now, and RefusedData where a constraint was
 * broken.
 */
export function sqliteError(thrown: unknown): unknown {
  if (!(thrown instanceof Error) || !('errcode' in thrown)) return thrown
  const { errcode } = thrown
  if (typeof errcode === 'number' && (errcode & 0xff) === constraint)
    return new RefusedData(thrown.message, { cause: thrown })
  return typeof errcode === 'number' && passing.has(errcode & 0xff)
    ? unavailable(thrown, `Nothing can be kept for now: ${thrown.message}`)
    : thrown
}

/**
 * The database does not do what it should, for now. `message` is shown to callers, so that it holds nothing of where the
 * database is.
 */
export function unavailable(
  cause: unknown,
  message = 'The database cannot be used for now',
): GatewayError {
  return new GatewayError('overloaded', message, { cause, retryAfterMs: 5_000 })
}
