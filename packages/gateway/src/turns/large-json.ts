import { GatewayError, JsonSurvey, type LongText, parseJson, parsePieces } from '@sluice/contract'
import { turn } from './turn.ts'

/** Bytes scanned or decoded per turn: about a millisecond. */
const stretchBytes = 512 * 1024
/** Smaller documents are parsed in one piece. */
const wholeBytesMax = 1024 * 1024
/** Longer strings, usually base64 images, are decoded separately. */
export const longTextBytesMin = 16 * 1024
/**
 * Limit on everything except long strings; a conversation of millions of tokens fits. It is parsed in a single turn.
 */
const restBytesMax = 16 * 1024 * 1024

/**
 * Parses a large JSON document in UTF-8 as parseJson does, in several turns of the event loop so that other requests
 * do not wait. Throws SyntaxError for invalid JSON, and `too_large` for documents that are too expensive to parse:
 * more than `unitsMax` units, or more than 16 MiB beside their long strings.
 */
export async function parseLargeJson(bytes: Buffer, unitsMax: number): Promise<unknown> {
  const survey = new JsonSurvey(bytes, longTextBytesMin)
  for (; !survey.isDone; await turn()) {
    survey.advance(stretchBytes)
    if (survey.units > unitsMax)
      throw new GatewayError(
        'too_large',
        `The request body holds more than ${unitsMax} values; each text, name, list and object counts as four`,
      )
  }
  if (bytes.length > wholeBytesMax && restBytesOf(bytes, survey) > restBytesMax)
    throw new GatewayError(
      'too_large',
      `The request body holds more than ${restBytesMax} bytes without its texts of ${longTextBytesMin} bytes and more`,
    )
  const value = await parseSurveyed(bytes, survey)
  surveyed.set(bytes, survey.longTexts)
  return value
}

const surveyed = new WeakMap<Uint8Array, readonly LongText[]>()

/** The positions of long strings in bytes that `parseLargeJson` has parsed. The bytes must not have changed. */
export function longTextsOf(bytes: Uint8Array): readonly LongText[] | undefined {
  return surveyed.get(bytes)
}

/** Longer lists of numbers, such as embeddings, are parsed separately. */
const listBytesMin = 4 * 1024
/** Limit on the parsing cost of a response beside its long strings and lists, which are parsed in a single turn. */
const answerUnitsMax = 1_000_000
/** Log probabilities take 2.6 bytes per unit; documents crafted to be expensive take less than one. */
const answerUnitBytesMin = 2

/**
 * As `parseLargeJson`, for an upstream's response. Long lists of numbers are parsed in their own turns. Throws
 * `upstream_garbled`.
 */
export async function parseLargeAnswer(bytes: Buffer): Promise<unknown> {
  const survey = new JsonSurvey(bytes, longTextBytesMin, listBytesMin)
  for (; !survey.isDone; await turn()) survey.advance(stretchBytes)
  const units = survey.units - survey.longUnits
  const rest = restBytesOf(bytes, survey)
  if (rest > restBytesMax || (units > answerUnitsMax && units * answerUnitBytesMin > rest))
    throw new GatewayError('upstream_garbled', 'The upstream’s response holds too many values')
  return parseSurveyed(bytes, survey)
}

function restBytesOf(bytes: Buffer, { longTexts }: JsonSurvey): number {
  return bytes.length - longTexts.reduce((sum, { start, end }) => sum + end - start, 0)
}

async function parseSurveyed(bytes: Buffer, { longTexts }: JsonSurvey): Promise<unknown> {
  if (bytes.length <= wholeBytesMax) return parseJson(bytes.toString('utf8'))
  const values: unknown[] = []
  let sinceTurn = 0
  for (const long of longTexts) {
    if (long.isList) values.push(parseJson(bytes.toString('utf8', long.start - 1, long.end + 1)))
    else values.push(await decodeText(bytes, long))
    sinceTurn += long.end - long.start
    if (sinceTurn < stretchBytes) continue
    sinceTurn = 0
    await turn()
  }
  await turn()
  return parsePieces(piecesBetween(bytes, longTexts), values, parseJson)
}

/** The text between the long strings. The quotes of the long strings are left out. */
function piecesBetween(bytes: Buffer, longTexts: readonly LongText[]): readonly string[] {
  const pieces: string[] = []
  let at = 0
  for (const { start, end } of longTexts) {
    pieces.push(bytes.toString('utf8', at, start - 1))
    at = end + 1
  }
  pieces.push(bytes.toString('utf8', at))
  return pieces
}

async function decodeText(bytes: Buffer, { start, end }: LongText): Promise<string> {
  // Not joined, because that copies it in a single turn, and so does what is put before it later, such as `data:`.
  let text = ''
  for (let at = start; at < end; ) {
    const until = end - at <= stretchBytes ? end : cutBefore(bytes, at + stretchBytes)
    text += String(JSON.parse(`"${bytes.toString('utf8', at, until)}"`))
    at = until
    await turn()
  }
  return text
}

const backslash = 92
const escapeBytesMax = 6

/** The index at or shortly before `place` that is neither inside a character nor inside an escape sequence. */
function cutBefore(bytes: Buffer, place: number): number {
  let cut = place
  while (((bytes[cut] ?? 0) & 0xc0) === 0x80) cut -= 1
  for (let at = cut - 1; at >= cut - escapeBytesMax; at -= 1) {
    if (bytes[at] !== backslash) continue
    let first = at
    while (bytes[first - 1] === backslash) first -= 1
    return (at - first) % 2 === 0 ? at : cut
  }
  return cut
}
