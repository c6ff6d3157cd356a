import { GatewayError } from '@sluice/contract'

/** Converts anything thrown to a GatewayError. The only place that interprets foreign errors. */
export function funnel(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown
  if (isFastifyError(thrown) && thrown.statusCode < 500)
    return new GatewayError('invalid_request', thrown.message, { cause: thrown })
  return GatewayError.from(thrown)
}

function isFastifyError(thrown: unknown): thrown is Error & { readonly statusCode: number } {
  return (
    thrown instanceof Error &&
    'code' in thrown &&
    String(thrown.code).startsWith('FST_') &&
    'statusCode' in thrown &&
    typeof thrown.statusCode === 'number'
  )
}
