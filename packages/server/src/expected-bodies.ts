import type { IncomingMessage, Server, ServerResponse } from 'node:http'

/** Responses to callers that wait for 100 Continue before they send the body. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>()

/**
 * Sends 100 Continue when a body is read and not as soon as its head has come (RFC 9110, 10.1.1): otherwise callers upload
 * megabytes that are then refused with 401. Without it Node closes the connection after the response, because some clients
 * would send their next request in place of the body.
 */
export function askForBodiesLate(server: Server): void {
  server.on('checkContinue', (request, response) => {
    waiting.set(request, response)
    server.emit('request', request, response)
  })
  // Other expectations are refused with an error body in `faultOfHead`.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}

/** Sends 100 Continue if the caller waits for it. */
export function askForBody(request: IncomingMessage): void {
  if (request.headers.expect === undefined) return
  const response = waiting.get(request)
  if (!response || response.headersSent) return
  waiting.delete(request)
  response.writeContinue()
}
