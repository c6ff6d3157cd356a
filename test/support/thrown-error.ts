import { GatewayError } from '../../packages/contract/src/core/errors.ts'

/** The gateway's error that a call throws; other errors are not caught. */
export function caught(run: () => unknown): GatewayError {
  try {
    run()
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
  throw new Error('Nothing was thrown')
}
