import { GatewayError } from '@sluice/contract'
import type { Entrance, EntranceBounds, Ticket } from '../ports/entrance.ts'
import type { ProcessLink } from './process-link.ts'

interface Entering {
  readonly number: number
  readonly key: string
  readonly bounds: EntranceBounds
}

/** The entrance that another process keeps for several. */
export function createRemoteEntrance(link: ProcessLink): Entrance {
  let count = 0
  return {
    enter(key, bounds) {
      count += 1
      return new RemoteTicket(link, { number: count, key, bounds })
    },
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

/** Lets the requests of several processes in, each over a link of its own; those of one that is gone have left. */
export function serveEntrance(entrance: Entrance, link: ProcessLink): void {
  const tickets = new Map<number, Ticket>()
  link.serve('entrance.enter', (body) => {
    const { number, key, bounds } = body as Entering
    if (link.isClosed) throw new GatewayError('cancelled', 'The caller went away')
    const ticket = entrance.enter(key, bounds)
    tickets.set(number, ticket)
    return ticket.entered?.catch((error: unknown) => {
      tickets.delete(number)
      throw error
    })
  })
  link.serve('entrance.leave', (body) => {
    tickets.get(Number(body))?.leave()
    tickets.delete(Number(body))
  })
  link.whenClosed(() => {
    for (const ticket of tickets.values()) ticket.leave()
    tickets.clear()
  })
}
