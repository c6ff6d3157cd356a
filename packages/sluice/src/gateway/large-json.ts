import { GatewayError, JsonSurvey, type LongText, parseJson, parsePieces } from '@sluice/contract'
import { turn } from '../gateway/turns.ts'

/** So many bytes are looked through or decoded in one turn: about a millisecond. */
const stretchBytes = 512 * 1024
/** A document that is not larger is parsed in one piece. */
const wholeBytesMax = 1024 * 1024
/** A longer text, most often a picture in base64, is decoded by itself. */
const longTextBytesMin = 16 * 1024
/** All that is no long text: a conversation of millions of tokens fits. Parsing it is one turn. */
const restBytesMax = 16 * 1024 * 1024

/**
 * Parses a large JSON document in UTF-8 as parseJson does, in turns, so that no other request waits for all of it.
 * Throws SyntaxError for what is no JSON, and `too_large` for what costs too much whatever it is: more than `unitsMax`
 * units, or more than 16 MiB beside its long texts.
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
      `The request body holds more than ${restBytesMax} bytes beside texts of ${longTextBytesMin} bytes and more`,
    )
  const value = await parseSurveyed(bytes, survey)
  surveyed.set(bytes, survey.longTexts)
  return value
}

const surveyed = new WeakMap<Uint8Array, readonly LongText[]>()

/** Where the long texts lie in bytes that `parseLargeJson` has parsed, which are as they were then. */
export function longTextsOf(bytes: Uint8Array): readonly LongText[] | undefined {
  return surveyed.get(bytes)
}

/** A list of numbers that is longer, as an embedding is, is parsed by itself. */
const listBytesMin = 4 * 1024
/** What an answer may cost beside its long texts and lists, however short it is: parsing it is one turn. */
const answerUnitsMax = 1_000_000
/** The probabilities of tokens take 2.6 bytes for a unit; what is made to cost much takes less than one. */
const answerUnitBytesMin = 2

/** The same for an upstream's answer, whose long lists of numbers are parsed in turns of their own. Throws `upstream_garbled`. */
export async function parseLargeAnswer(bytes: Buffer): Promise<unknown> {
  const survey = new JsonSurvey(bytes, longTextBytesMin, listBytesMin)
  for (; !survey.isDone; await turn()) survey.advance(stretchBytes)
  const units = survey.units - survey.longUnits
  const rest = restBytesOf(bytes, survey)
  if (rest > restBytesMax || (units > answerUnitsMax && units * answerUnitBytesMin > rest))
    throw new GatewayError('upstream_garbled', 'The upstream’s answer holds too many values')
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

/** What stands around the long texts; their quotes go with them. */
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
  const pieces: string[] = []
  for (let at = start; at < end; ) {
    const until = end - at <= stretchBytes ? end : cutBefore(bytes, at + stretchBytes)
    pieces.push(JSON.parse(`"${bytes.toString('utf8', at, until)}"`) as string)
    at = until
    await turn()
  }
  return pieces.join('')
}

const backslash = 92
const escapeBytesMax = 6

/** The place at or shortly before `place` that lies neither inside a character nor inside an escape. */
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
