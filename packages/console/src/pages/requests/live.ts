import { useEffect, useState } from 'react'
import type { Reply } from '../../api/client.ts'

export type ListedRequest = Reply<'listRequests'>['data'][number]

/** A call that is followed: of one that runs less is known, and one that was refused has no target. */
export type LiveRequest = Pick<ListedRequest, 'id' | 'startedAt' | 'key'> &
  Partial<Omit<ListedRequest, 'model'>> & {
    readonly model: string | null
    /** Why it was refused. */
    readonly message?: string
  }

interface Live {
  /** The newest first. */
  readonly requests: readonly LiveRequest[]
  readonly isLost: boolean
  readonly isSkipping: boolean
}

/** Older ones are on the pages of the search. */
const keptMax = 1_000
/** A browser draws no faster than anybody reads. */
const drawEveryMs = 250

const nothing: Live = { requests: [], isLost: false, isSkipping: false }

/** Calls as they begin and end, while `isOn`. `search` is the query of what is looked for. */
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
