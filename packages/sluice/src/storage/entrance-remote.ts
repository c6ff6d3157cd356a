import { GatewayError } from '@sluice/contract'
import type { Entrance, EntranceBounds, EntranceLevel, Ticket } from '../ports/entrance.ts'
import type { ProcessLink } from './process-link.ts'

interface Entering {
  /** The name of the entrance. */
  readonly of: string
  readonly number: number
  readonly key: string
  readonly bounds: EntranceBounds
  readonly count: number
}

/** Counts the tickets of this process, over all entrances. */
let tickets = 0

/** A named entrance held by another process for several processes. */
export function createRemoteEntrance(link: ProcessLink, of: string): Entrance {
  return {
    enter(key, bounds, count = 1) {
      tickets += 1
      return new RemoteTicket(link, { of, number: tickets, key, bounds, count })
    },
    // The other side serves an EntranceLevel.
    look: async () => (await link.ask('entrance.look', of)) as EntranceLevel,
  }
}

class RemoteTicket implements Ticket {
  readonly entered: Promise<void>
  readonly #link: ProcessLink
  readonly #number: number
  #isOver = false

  constructor(link: ProcessLink, entering: Entering) {
    this.#link = link
    this.#number = entering.number
    this.entered = link.ask('entrance.enter', entering).then(() => {})
  }

  leave(): void {
    if (!this.#isOver) this.#link.tell('entrance.leave', this.#number)
    this.#isOver = true
  }
}

/** Serves entrances to another process over its link. The requests of a process that has ended leave. */
export function serveEntrances(entranceOf: (name: string) => Entrance, link: ProcessLink): void {
  const open = new Map<number, Ticket>()
  link.serve('entrance.enter', (body) => {
    const { of, number, key, bounds, count } = body as Entering
    if (link.isClosed) throw new GatewayError('cancelled', 'The caller went away')
    const ticket = entranceOf(of).enter(key, bounds, count)
    open.set(number, ticket)
    return ticket.entered?.catch((error: unknown) => {
      open.delete(number)
      throw error
    })
  })
  link.serve('entrance.leave', (body) => {
    open.get(Number(body))?.leave()
    open.delete(Number(body))
  })
  link.serve('entrance.look', (body) => entranceOf(String(body)).look())
  link.whenClosed(() => {
    for (const ticket of open.values()) ticket.leave()
    open.clear()
  })
}
