import { GatewayError } from '@sluice/contract'

/** Rejects a field that only Gemini itself supports. The error names the field. */
export function refuse(param: string, reason?: string): never {
  throw new GatewayError(
    'unsupported_parameter',
    `'${param}' is not supported by this model${reason === undefined ? '' : `: ${reason}`}`,
    { param },
  )
}
