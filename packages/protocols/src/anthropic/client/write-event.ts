import { formatEvent } from '@sluice/contract'

/** One event of the Messages API: its SSE name repeats the type. */
export function writeEvent(
  data: { readonly type: string } & Readonly<Record<string, unknown>>,
): string {
  return formatEvent({ event: data.type, data: JSON.stringify(data) })
}
