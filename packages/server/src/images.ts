import { GatewayError } from '@sluice/contract'
import { endpoint } from './endpoint.ts'
import { foreignBytesHeaders } from './foreign-bytes.ts'
import { success } from './openapi-endpoint.ts'

/** Images that responses link to, at URLs that cannot be guessed, until they expire. */
export const downloadImage = endpoint({
  method: 'GET',
  path: '/images/{name}',
  access: 'open',
  operationId: 'downloadImage',
  summary: 'Download a generated image until its URL expires',
  tag: 'Images',
  responses: {
    ...success({ 'image/*': { schema: { type: 'string', format: 'binary' } } }, 'The image.'),
    '404': { $ref: '#/components/responses/Error404' },
  },
  async send({ path: { name } }, { gateway, request, reply }) {
    const found = await gateway.published.find(name.replace(/\.\w+$/, ''))
    if (!found)
      throw new GatewayError('not_found', 'There is no such image, or its address has expired')
    request.answerHeaders.push(...foreignBytesHeaders)
    void reply
      .header('content-type', found.contentType)
      .header('cache-control', 'private, max-age=3600')
      .send(Buffer.from(found.bytes))
  },
})
