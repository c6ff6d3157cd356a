import { endpoint, wholeReaders } from '../endpoint.ts'
import { anything, described, flag, list, object, text } from '../shapes.ts'

/** The effective settings and the source of each. */
export const getSettings = endpoint({
  method: 'GET',
  path: '/admin/v1/settings',
  access: wholeReaders,
  operationId: 'getSettings',
  summary: 'Get the settings that hold now, without secrets, and where each came from',
  tag: 'Operation',
  reply: object({
    file: text,
    data: list(
      object({
        path: text,
        value: described(anything, 'The value; a secret is hidden.'),
        source: text,
        isHidden: flag,
      }),
    ),
  }),
  async answer(_, { gateway }) {
    const { sections } = gateway.settings
    return { file: sections.file, data: await sections.shown() }
  },
})
