/**
 * Headers with ids of an account at Anthropic: whom a request is made for, and where. Requests use the gateway's own account,
 * in which the caller's ids mean nothing or belong to others.
 */
export const accountHeaders: readonly string[] = [
  'anthropic-user-profile-id',
  'anthropic-workspace-id',
]
