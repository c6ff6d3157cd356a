import { type ErrorCode, errorCodes, GatewayError } from '../../packages/contract/src/index.ts'
import { errorMeanings } from './error-meanings.ts'

const blames = {
  caller: 'the caller’s request',
  upstream: 'the provider; other targets are tried before this is returned',
  operator: 'the gateway or its settings',
}

/** The page of one code. */
export function errorPage(code: ErrorCode): readonly string[] {
  const error = new GatewayError(code, 'A sentence that describes the error', { param: 'field' })
  const { when, help } = errorMeanings[code]
  return [
    `# ${code}`,
    '',
    when,
    '',
    `**What to do:** ${help}`,
    '',
    `| | |`,
    '|---|---|',
    `| status | ${error.status}${code === 'upstream_rejected' ? ', or the provider’s own' : ''} |`,
    `| \`error.type\` | \`${error.type}\` |`,
    `| \`error.code\` | ${error.publicCode === null ? '`null`' : `\`${error.publicCode}\``} |`,
    `| cause | ${blames[error.blame]} |`,
    `| in the log | \`code: ${code}\` |`,
    '',
    'The body in OpenAI’s format. Anthropic and Gemini clients receive their own format.',
    '',
    '```json',
    JSON.stringify(error.toJSON(), null, 2),
    '```',
  ]
}

/** The list of all codes. */
export function errorList(): readonly string[] {
  const rows = errorCodes.map((code) => {
    const error = new GatewayError(code, '')
    const shown = error.publicCode === null ? '' : `\`${error.publicCode}\``
    return `| ${error.status} | [${code}](./${code}) | ${shown} | ${errorMeanings[code].when} |`
  })
  return [
    '# Errors',
    '',
    'The name is the `code` in the log; callers receive `error.code`. Callers receive the error of a failed attempt only if no other target is left to try.',
    '',
    '| status | name | `error.code` | when |',
    '|---|---|---|---|',
    ...rows,
  ]
}
