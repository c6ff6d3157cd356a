import * as catalogue from './catalogue.ts'
import type { Provider } from './provider.ts'

/** All known upstream providers by id. */
export const providers: ReadonlyMap<string, Provider> = new Map(
  Object.values<Provider>(catalogue).map((provider) => [provider.id, provider]),
)
