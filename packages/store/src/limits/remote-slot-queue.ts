import { GatewayError } from '@sluice/contract'
import type {
  SlotLimits,
  SlotQueue,
  SlotTicket,
  SlotUsage,
} from '@sluice/gateway/ports/slot-queue.ts'
import type { MessageName, ProcessLink } from './process-link.ts'

interface Entering {
  /** The name of the queue. */
  readonly of: string
  readonly number: number
  readonly key: string
  readonly bounds: SlotLimits
  readonly count: number
}

const enterMessage: MessageName<Entering, void> = 'slots.enter'
const leaveMessage: MessageName<number> = 'slots.leave'
/** Its body is the name of the queue. */
const lookMessage: MessageName<string, SlotUsage> = 'slots.look'

/** Counts the tickets of this process, over all slot queues. */
let tickets = 0

/** A named queue held by another process for several processes. */
export function createRemoteSlotQueue(link: ProcessLink, of: string): SlotQueue {
  return {
    enter(key, bounds, count = 1) {
      tickets += 1
      return new RemoteTicket(link, { of, number: tickets, key, bounds, count })
    },
    look: () => link.ask(lookMessage, of),
  }
}

class RemoteTicket implements SlotTicket {
  readonly entered: Promise<void>
  readonly #link: ProcessLink
  readonly #number: number
  #isOver = false

  constructor(link: ProcessLink, entering: Entering) {
    this.#link = link
    this.#number = entering.number
    this.entered = link.ask(enterMessage, entering)
  }

  leave(): void {
    if (!this.#isOver) this.#link.tell(leaveMessage, this.#number)
    this.#isOver = true
  }
}

/** Serves slot queues to another process over its link. The requests of a process that has ended leave. */
export function serveSlotQueues(queueOf: (name: string) => SlotQueue, link: ProcessLink): void {
  const open = new Map<number, SlotTicket>()
  link.serve(enterMessage, ({ of, number, key, bounds, count }) => {
    if (link.isClosed) throw new GatewayError('cancelled', 'The caller went away')
    const ticket = queueOf(of).enter(key, bounds, count)
    open.set(number, ticket)
    return ticket.entered?.catch((error: unknown) => {
      open.delete(number)
      throw error
    })
  })
  link.serve(leaveMessage, (number) => {
    open.get(number)?.leave()
    open.delete(number)
  })
  link.serve(lookMessage, (of) => queueOf(of).look())
  link.whenClosed(() => {
    for (const ticket of open.values()) ticket.leave()
    open.clear()
  })
}
