import { GatewayError } from '@sluice/contract'

export function missingParameter(param: string): GatewayError {
  return new GatewayError('missing_parameter', `Missing required parameter: '${param}'`, { param })
}
