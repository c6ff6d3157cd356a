export function ensureBundle(): boolean
export function isFresh(stampFile?: string): boolean
export const stampFiles: { readonly program: string; readonly console: string }
