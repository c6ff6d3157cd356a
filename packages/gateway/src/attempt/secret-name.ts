import { hash } from 'node:crypto'

/** Identifies a provider key without revealing it: the first 16 hex digits of its SHA-256. */
export function nameOfSecret(secret: string): string {
  return hash('sha256', secret).slice(0, 16)
}
