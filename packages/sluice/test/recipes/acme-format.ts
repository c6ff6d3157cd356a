import type { EmbedReply } from '@sluice/contract'
import type { ClientFormat, FormatName } from '@sluice/protocols/client-format.ts'
import { plainMeasure } from '@sluice/protocols/measure.ts'
import { Type } from 'typebox'

/** Texts in, vectors out, at an address of its own. */
export const acme: ClientFormat<'embed'> = {
  // The compiler wants a new format's name in FormatName.
  id: 'acmeVectors' as FormatName,
  operation: 'embed',
  summary: 'Vectors of texts',
  tag: 'Acme',
  paths: ['/acme/vectors'],
  request: Type.Object({ model: Type.String(), texts: Type.Array(Type.String()) }),
  reply: Type.Object({ vectors: Type.Array(Type.Array(Type.Number())) }),
  measure: () => plainMeasure,
  outputLimit: 'none',
  continues: 'none',
  textsOf: 'none',
  messages: 'none',
  toCanonical(request) {
    const { model, texts } = request as { readonly model: string; readonly texts: string[] }
    return { model, input: texts }
  },
  fromCanonical: ({ data }: EmbedReply) => ({ vectors: data.map(({ embedding }) => embedding) }),
  error: ({ message }) => ({ wrong: message }),
}
