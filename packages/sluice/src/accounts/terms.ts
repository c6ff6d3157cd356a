import type { Terms } from '../ports/account.ts'

/** What shall be otherwise: null takes a term away. */
export type Changes = { readonly name?: string } & {
  readonly [Term in keyof Terms]?: Terms[Term] | null
}

/** A key or an account with these changes. */
export function changed<Carrier extends Terms>(carrier: Carrier, changes: Changes): Carrier {
  const next = { ...carrier, ...changes }
  // Carrier's own fields are all there, and of the terms each may be absent.
  return Object.fromEntries(
    Object.entries(next).filter(([, value]) => value !== null && value !== undefined),
  ) as unknown as Carrier
}
