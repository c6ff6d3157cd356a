import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Headers of every response, names and values alternating. Pages of any origin may call the API: keys travel in headers and
 * not in cookies, so a page can only use a key it was given, and `*` keeps browsers from sending credentials of their own
 * (Fetch standard, CORS protocol).
 */
export const allowOrigins: readonly string[] = [
  'access-control-allow-origin',
  '*',
  'access-control-expose-headers',
  '*',
]

/** Answers the preflight request that browsers send before a request with a key in a header. */
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
