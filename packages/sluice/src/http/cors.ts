import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Pages of every origin may call: keys travel in headers and never in cookies, so a page can only use a key that it was
 * given, and `*` keeps browsers from sending anything of their own (Fetch standard, CORS protocol). Names and values in
 * turn, on every answer.
 */
export const allowOrigins: readonly string[] = [
  'access-control-allow-origin',
  '*',
  'access-control-expose-headers',
  '*',
]

/** The answer to OPTIONS, which a browser asks before a call with a key in a header. */
export function answerPreflight(
  request: FastifyRequest,
  reply: FastifyReply,
  methods: readonly string[],
): void {
  const asked = request.headers['access-control-request-headers']
  if (asked !== undefined)
    void reply
      .header('access-control-allow-methods', methods.join(', '))
      .header('access-control-allow-headers', asked)
      .header('access-control-max-age', '86400')
      .header('vary', 'access-control-request-headers')
  void reply.code(204).header('allow', methods.join(', ')).send()
}
