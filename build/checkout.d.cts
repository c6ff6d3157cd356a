export function ensureBundle(): boolean
export function isFresh(): boolean
export const stampFile: string
