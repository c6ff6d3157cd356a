import { isObject } from '@sluice/contract'
import type { Mistake } from './explain-errors.ts'
import type { Path } from './references.ts'

// Values that other programs replace, and patterns where only names are understood: taken literally, they would be keys that
// no provider knows and models that nobody can ask for.

/** References as other programs write them, with the name of the variable if there is one. */
const references: readonly RegExp[] = [
  /^os\.environ\/["']?([A-Za-z_]\w*)?/,
  /^os\.(?:environ\s*\[|environ\.get\(|getenv\()\s*["']?([A-Za-z_]\w*)?/,
  /^process\.env(?:\.|\[["']?)([A-Za-z_]\w*)/,
  /^\$([A-Z_][A-Z0-9_]*)$/,
  /^\$env:([A-Za-z_]\w*)$/i,
  /^\$\(([A-Za-z_]\w*)\)$/,
  /^%([A-Za-z_]\w*)%$/,
  /^!?env(?::|\.|\(|\[|\/|\s)\/{0,2}\s*["']?(?:\$\{)?([A-Za-z_]\w*)["']?\}?[)\]]?$/i,
  /\{\{-?\s*(?:env\s*\.?\s*|secrets\.|\.Env\.)?["']?\.?([A-Za-z_][\w.]*)["']?[^{}]*\}\}/,
  /^!?(?:vault|secrets?|keyvault|kv|gsm|ssm|sops|doppler|op|bws|infisical|(?:aws|gcp|azure|google|hashicorp)[-_]?(?:secrets?(?:[-_]?manager)?|key[-_]?vault|vault|sm|ssm))(?::\/{0,2}|\/\/|\()\s*\S()/i,
]

/** What is read: `${NAME}`, `${NAME:-default}`, and both escaped. */
const understood = /\$?\$\{[A-Za-z_][A-Za-z0-9_]*(?::-(?:[^}\\]|\\.)*)?\}/g
/** `${env:NAME}`, `${NAME:default}`, `${{ secrets.NAME }}`. */
const misspelled = /\$\{\{?\s*(?:(?:env|secrets?|vault|vars)[.:])?([A-Za-z_]\w*)?[^{}]*\}/

/** The reference of another program in a text, as it must be written here; undefined if there is none. */
export function referenceIn(text: string): string | undefined {
  for (const pattern of references) {
    const found = pattern.exec(text)
    if (found !== null) return written(found[1])
  }
  const rest = text.replace(understood, '')
  const found = rest.includes('${') ? misspelled.exec(rest) : null
  return found === null ? undefined : written(found[1])
}

function written(name = ''): string {
  const plain = name.split('.').at(-1) ?? ''
  return `\${${/^[A-Za-z_]\w*$/.test(plain) ? plain : 'NAME'}}`
}

/** Whether a text is a pattern: a wildcard or a regular expression. No model has these marks in its name. */
function isPattern(text: string): boolean {
  return /[*?]|^\^|\$$|\.\+|\\[dwsS.]|\[[^\]]*\][+{]|\([^()|]*\|/.test(text)
}

/** Where the name of one model stands; `{}` stands for the names in a map. */
const modelNames: readonly (readonly [place: string, advice: string])[] = [
  ['models.{}', 'name each model, or write one * for a part of the name'],
  ['models.*', 'write provider/model, or provider/* for a name with *'],
  ['models.*.targets.*', 'write one provider/model per target, or provider/* for a name with *'],
  [
    'models.*.targets.*.target',
    'write one provider/model per target, or provider/* for a name with *',
  ],
  ['models.*.fallback.*', 'name each model, in order'],
  ['models.*.longer.*', 'name each model, in order'],
  ['defaultModel', 'name one model'],
  ['providers.*.models.*', 'name each model, or leave models out to use the list of the provider'],
  ['providers.*.models.*.id', 'name one model'],
  ['providers.*.models.*.upstream', 'name one model'],
  ['builtin.aliases.{}', 'name each model'],
  ['builtin.aliases.*', 'name a built-in model, such as builtin-chat'],
]

/** Where a name may have one `*`, which stands for the same text in the target. */
const wildcardPlaces: ReadonlySet<string> = new Set(
  [
    'models.{}',
    'models.*',
    'models.*.targets.*',
    'models.*.targets.*.target',
    'models.*.fallback.*',
    'models.*.longer.*',
  ].flatMap((place) => [place, place.replace(/^models\b/, 'routes')]),
)

/** Where a name, `provider/*`, or the beginning of a name and `*` may stand. */
const modelPatterns: ReadonlySet<string> = new Set([
  'keys.*.models.*',
  'jwt.*.models.*',
  'organizations.*.models.*',
  'teams.*.models.*',
  'users.*.models.*',
  'prices.{}',
])

const advices: ReadonlyMap<string, string> = new Map(
  // `sluice apply` calls them routes.
  modelNames.flatMap(([place, advice]) => [
    [place, advice],
    [place.replace(/^models\b/, 'routes'), advice],
  ]),
)

/** Places that are maps with any names. */
const maps: ReadonlySet<string> = new Set([
  ...[...advices.keys(), ...modelPatterns]
    .filter((place) => place.endsWith('.{}'))
    .map((place) => place.slice(0, -'.{}'.length)),
  'providers',
])

/**
 * The references and patterns in settings that would be taken literally; the values, which may be secret, are not in the texts.
 * `readsReferences` says where references to environment variables are replaced. Default: everywhere.
 */
export function findLiterals(
  settings: unknown,
  readsReferences: (path: Path) => boolean = () => true,
): readonly Mistake[] {
  const found: Mistake[] = []
  look(settings, [], '')
  return found

  function look(value: unknown, path: Path, place: string): void {
    if (typeof value === 'string') check(value, path, place)
    else if (Array.isArray(value))
      for (const [index, item] of value.entries()) look(item, [...path, index], `${place}.*`)
    else if (isObject(value))
      for (const [name, item] of Object.entries(value)) {
        const isNamed = maps.has(place)
        const inner = [...path, name]
        if (isNamed) check(name, inner, `${place}.{}`)
        look(item, inner, isNamed ? `${place}.*` : place === '' ? name : `${place}.${name}`)
      }
  }

  function check(text: string, path: Path, place: string): void {
    const problem = problemOf(text, place, readsReferences(path))
    if (problem !== undefined) found.push({ path, problem })
  }
}

function problemOf(text: string, place: string, readsReferences: boolean): string | undefined {
  const reference = referenceIn(text.trim())
  if (reference !== undefined)
    return readsReferences
      ? `is a reference in the form of another program, which would be taken literally: write ${reference} for the environment variable`
      : 'is a reference, which would be taken literally: write the value itself'
  const advice = advices.get(place)
  const takesOne = wildcardPlaces.has(place)
  if (advice !== undefined && isPattern(takesOne ? withoutWildcard(text) : text))
    return `is a pattern${takesOne ? ' of a kind that is not' : ', and none is'} understood here: ${advice}`
  if (modelPatterns.has(place) && isPattern(withoutWildcard(text, /\*$/)))
    return 'is a pattern of a kind that is not understood here: write a name, provider/*, or the beginning of a name and *'
  return undefined
}

/** A text without its `*`; "gpt-6.*" is the beginning "gpt-6.", but "gpt-.*" is a regular expression and stays one. */
function withoutWildcard(text: string, wildcard: RegExp | string = '*'): string {
  return /\D\.\*$/.test(text) ? text : text.replace(wildcard, '')
}
