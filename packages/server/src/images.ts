import { GatewayError } from '@sluice/contract'
import type { Address } from './address.ts'
import { foreignBytesHeaders } from './foreign-bytes.ts'

/** Images that responses link to, at URLs that cannot be guessed, until they expire. */
export const imageAddresses: readonly Address[] = [
  {
    method: 'GET',
    path: '/images/{name}',
    access: 'open',
    description: {
      operationId: 'downloadImage',
      summary: 'Download a generated image until its URL expires',
      tags: ['Images'],
      reply: {
        '200': {
          description: 'The image.',
          content: { 'image/*': { schema: { type: 'string', format: 'binary' } } },
        },
        '404': { $ref: '#/components/responses/Error404' },
      },
    },
    async serve({ gateway, request, reply, parameters }) {
      const name = parameters['name'] ?? ''
      const found = await gateway.published.find(name.replace(/\.\w+$/, ''))
      if (!found)
        throw new GatewayError('not_found', 'There is no such image, or its address has expired')
      request.answerHeaders.push(...foreignBytesHeaders)
      reply
        .header('content-type', found.contentType)
        .header('cache-control', 'private, max-age=3600')
        .send(Buffer.from(found.bytes))
    },
  },
]
