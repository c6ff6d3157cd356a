import type { GatewayError } from '@sluice/contract'

export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** What is logged of the cause of an error; undefined if it has none. */
export function causeText({ details }: GatewayError): string | undefined {
  const { cause } = details
  if (cause === undefined) return undefined
  // V8's message for invalid JSON quotes the text, which may be a prompt or a response.
  if (cause instanceof SyntaxError) return cause.name
  if (cause instanceof Error) return cause.stack ?? cause.message
  return typeof cause === 'string' ? cause : JSON.stringify(cause)
}
