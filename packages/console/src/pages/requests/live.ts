import { useEffect, useState } from 'react'
import type { Reply } from '../../api/client.ts'

export type ListedRequest = Reply<'listRequests'>['data'][number]

/** A call in the live list: less is known of a running call, and a refused call has no target. */
export type LiveRequest = Pick<ListedRequest, 'id' | 'startedAt' | 'key'> &
  Partial<Omit<ListedRequest, 'model'>> & {
    readonly model: string | null
    /** Why the call was refused. */
    readonly message?: string
  }

interface Live {
  /** Newest first. */
  readonly requests: readonly LiveRequest[]
  readonly isLost: boolean
  readonly isSkipping: boolean
}

/** Maximum number of calls kept; older ones are on the pages of the search. */
const keptMax = 1_000
/** Interval between updates in milliseconds, so that the browser draws no faster than anyone can read. */
const drawEveryMs = 250

const nothing: Live = { requests: [], isLost: false, isSkipping: false }

/** Calls as they start and end, while `isOn`. `search` is the query string of the filters. */
export function useLive(search: string, isOn: boolean): Live {
  const [live, setLive] = useState(nothing)
  useEffect(() => {
    if (!isOn) return
    const known = new Map<string, LiveRequest>()
    let state = nothing
    let isChanged = false
    const change = (next: Partial<Live>): void => {
      state = { ...state, ...next }
      isChanged = true
    }
    const source = new EventSource(`admin/v1/requests/live${search}`)
    const take = (event: MessageEvent<string>): void => {
      const request = JSON.parse(event.data) as LiveRequest
      known.set(request.id, { ...known.get(request.id), ...request })
      if (known.size > keptMax) {
        const [oldest] = known.keys()
        if (oldest !== undefined) known.delete(oldest)
      }
      isChanged = true
    }
    source.addEventListener('begin', take)
    source.addEventListener('request', take)
    source.addEventListener('refused', take)
    source.addEventListener('skipped', () => change({ isSkipping: true }))
    source.addEventListener('open', () => change({ isLost: false }))
    source.addEventListener('error', () => change({ isLost: true }))
    const timer = setInterval(() => {
      if (!isChanged) return
      isChanged = false
      setLive({ ...state, requests: [...known.values()].toReversed() })
    }, drawEveryMs)
    return () => {
      source.close()
      clearInterval(timer)
      setLive(nothing)
    }
  }, [search, isOn])
  return live
}
