import { Badge } from '@mantine/core'
import type { Reply } from '../../api/client.ts'
import { formatTime, isPast } from '../../parts/formats.ts'
import { keyTexts } from '../../texts/keys.ts'

type Key = Pick<Reply<'getKey'>, 'revokedAt' | 'disabledAt' | 'expiresAt'>

/** Whether a key is usable, and if not, why. */
export function stateOf({ revokedAt, disabledAt, expiresAt }: Key) {
  if (revokedAt !== undefined) return 'revoked'
  if (disabledAt !== undefined) return 'disabled'
  return isPast(expiresAt) ? 'expired' : 'valid'
}

export function lastUseText(at: number | undefined): string {
  return at === undefined ? keyTexts.never : formatTime(at)
}

export function KeyState({ of }: { readonly of: Key }) {
  const state = stateOf(of)
  return <Badge color={state === 'valid' ? 'water' : 'gray'}>{keyTexts[state]}</Badge>
}
