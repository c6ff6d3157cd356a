/**
 * Headers of responses to GET whose bytes the gateway did not make, such as an upstream's video. A browser neither guesses
 * another type, nor shows them as a page of the gateway, nor runs anything in them (Fetch standard, `nosniff`; CSP 3, sandbox).
 * Names and values alternate, as in `answerHeaders`.
 */
export const foreignBytesHeaders: readonly string[] = [
  'x-content-type-options',
  'nosniff',
  'content-security-policy',
  "sandbox; default-src 'none'",
  'content-disposition',
  'attachment',
]
