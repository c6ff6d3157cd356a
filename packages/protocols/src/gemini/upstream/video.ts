import { GatewayError } from '@sluice/contract'

/**
 * What the gateway keeps of a Veo job: the operation's name, and after `#`, once the clip is there, where it lies at
 * the same host. The two have nothing in common, and looking up a finished operation again only to download would
 * cost a call each time.
 */
interface VeoJob {
  readonly operation: string
  /** A path with its query, such as `/v1beta/files/abc:download?alt=media`. */
  readonly clip: string | undefined
}

export function formatJob({ operation, clip }: VeoJob): string {
  return clip === undefined ? operation : `${operation}#${clip}`
}

/** Throws `not_found` where no job is known. */
export function parseJob(jobId: string | undefined): VeoJob {
  const [operation = '', clip] = (jobId ?? '').split('#')
  if (!/^models\/[\w.-]+\/operations\/[\w.-]+$/.test(operation))
    throw new GatewayError('not_found', 'There is no such video')
  return { operation, clip }
}
