import { invalidRequest } from '@sluice/contract'

const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })

/**
 * The full English name of a language for its two- or three-letter code, such as `english`; English if none is given. Throws
 * invalid_request (param `language`) for an unknown code.
 */
export function findLanguage(given: string | null | undefined): string {
  if (given == null || given === '') return 'english'
  const code = given.toLowerCase().split(/[-_]/)[0] ?? ''
  const name = /^[a-z]{2,3}$/.test(code) ? names.of(code) : undefined
  if (name === undefined)
    throw invalidRequest(
      `'${given.slice(0, 40)}' is no language; give an ISO 639-1 code such as en`,
      'language',
    )
  return name.toLowerCase()
}
