import { formatEvent } from '@sluice/contract'

/** Writes one event of the Messages API; its SSE name is its type. */
export function writeEvent(
  data: { readonly type: string } & Readonly<Record<string, unknown>>,
): string {
  return formatEvent({ event: data.type, data: JSON.stringify(data) })
}
