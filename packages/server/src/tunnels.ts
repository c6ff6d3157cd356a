import type { Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { GatewayError } from '@sluice/contract'
import { refuseSocket } from './client-error.ts'

/**
 * Answers CONNECT with 405; by default Node closes the connection without a response. Node also removes its own listeners
 * from such a connection, so that responses queued there behind another one (pipelining) would never be closed and their
 * requests would hold their resources forever: they are closed here.
 */
export function refuseTunnels(server: Server): void {
  const waiting = new WeakMap<Duplex, Set<ServerResponse>>()
  server.on('request', ({ socket }, response) => {
    // Only a response queued behind another one has no socket yet.
    if (response.socket !== null) return
    const others = waiting.get(socket) ?? new Set()
    waiting.set(socket, others.add(response))
    response.once('close', () => others.delete(response))
  })
  server.on('connect', (_request, socket) => {
    // Node has removed its listeners, and an error without one ends the process.
    socket.on('error', () => {})
    const others = waiting.get(socket) ?? []
    refuseSocket(
      socket,
      new GatewayError('method_not_allowed', 'CONNECT is not supported'),
      'allow: \r\n',
    )
    for (const response of others) response.destroy()
  })
}
