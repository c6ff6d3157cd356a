import type { Address } from '../address.ts'
import { object, text } from '../openapi-written.ts'
import { wholeReaders } from './endpoint.ts'
import { gatewayAddress } from './gateway-endpoint.ts'

/** The effective settings and the source of each. */
export const settingsAddresses: readonly Address[] = [
  gatewayAddress({
    method: 'GET',
    path: '/admin/v1/settings',
    roles: wholeReaders,
    operationId: 'getSettings',
    summary: 'Get the settings that hold now, without secrets, and where each came from',
    tag: 'Operation',
    reply: object({
      file: text,
      data: {
        type: 'array',
        items: object({
          path: text,
          value: { description: 'The value; a secret is hidden.' },
          source: text,
          isHidden: { type: 'boolean' },
        }),
      },
    }),
    async serve({ gateway }) {
      const { file } = gateway.settings
      return { file: file.path, data: await file.shown() }
    },
  }),
]
