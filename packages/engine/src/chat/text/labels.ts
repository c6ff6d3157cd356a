import { sentimentOf } from './sentiment.ts'
import { contentStems, rootOf, wordsOf } from './words.ts'

/** Words that speak for a label, for the labels that are often asked for. */
const topics: Readonly<Record<string, string>> = {
  spam: 'free win winner prize click offer money urgent claim cash congratulations limited credit buy cheap guaranteed lottery selected reward subscribe',
  ham: 'meeting lunch tomorrow thanks project report see attached schedule team',
  urgent: 'urgent asap immediately emergency critical now down outage deadline broken',
  sport:
    'game match team player goal score win season coach league football soccer tennis basketball championship cup olympic race',
  politics:
    'government president election vote minister parliament law senate congress party policy campaign senator',
  technology:
    'software computer phone app device chip internet data robot code smartphone processor digital tech laptop',
  business:
    'company market profit revenue stock shares investors sales bank economy quarter merger ceo billion',
  science:
    'research study scientists discovery experiment physics biology chemistry space planet species',
  health: 'doctor patient hospital disease medicine vaccine health treatment symptoms pain medical',
  entertainment: 'film movie music actor album concert series show song star director',
  billing: 'invoice charge charged payment refund bill billing card subscription price paid money',
  technical:
    'error bug crash crashes broken install login password working screen freezes connect update fails',
  shipping: 'delivery package shipping arrived order tracking late shipped courier parcel',
  account: 'account login password profile username email sign settings',
  question: 'what who when where why how which can could',
  complaint: 'disappointed terrible refund broken late rude unacceptable worst never problem',
  praise: 'great love thanks excellent amazing wonderful best',
  travel: 'trip flight hotel visit vacation beach travel tour holiday airport',
  food: 'restaurant recipe cook meal dish eat delicious dinner lunch ingredient food',
  finance: 'money bank loan invest interest stock tax budget credit price',
  high: 'urgent critical immediately asap emergency outage severe',
  low: 'minor whenever small later cosmetic',
}

const synonyms: Readonly<Record<string, string>> = {
  sports: 'sport',
  tech: 'technology',
  political: 'politics',
  support: 'technical',
  bug: 'technical',
  'not spam': 'ham',
  medical: 'health',
  financial: 'finance',
  delivery: 'shipping',
  feedback: 'praise',
  priority: 'urgent',
}

const topicStems = new Map(
  Object.entries(topics).map(([label, words]) => [label, new Set(words.split(' ').map(rootOf))]),
)

/** How well each label suits a text, 0 and up. Sentiment labels go by a lexicon, others by the words that speak for them. */
function scoreLabels(text: string, labels: readonly string[]): number[] {
  const stems = contentStems(text)
  const all = new Set([...stems, ...wordsOf(text).map((word) => rootOf(word.lower))])
  const { score } = sentimentOf(text)
  return labels.map((label) => {
    const feeling = feelingOf(label)
    if (feeling !== undefined) return feelingScore(feeling, score)
    const own = contentStems(label)
    const mentioned = own.filter((root) => all.has(root)).length * 2
    const lower = label.toLowerCase()
    const topic = topicStems.get(synonyms[lower] ?? lower) ?? topicStems.get(own[0] ?? '')
    let related = 0
    for (const root of topic ?? []) if (all.has(root)) related += 1
    if (lower === 'question' && text.trim().endsWith('?')) related += 3
    return mentioned + related
  })
}

type Feeling = 'positive' | 'negative' | 'neutral' | 'mixed'

function feelingOf(label: string): Feeling | undefined {
  const lower = label.toLowerCase()
  if (/^(?:very )?(?:positive|pos|happy|good|joy|favou?rable|satisfied)$/.test(lower))
    return 'positive'
  if (
    /^(?:very )?(?:negative|neg|sad|bad|angry|anger|unfavou?rable|unhappy|dissatisfied)$/.test(
      lower,
    )
  )
    return 'negative'
  return /^(?:neutral|mixed)$/.test(lower) ? (lower as Feeling) : undefined
}

function feelingScore(feeling: Feeling, score: number): number {
  if (feeling === 'positive') return Math.max(0, score)
  if (feeling === 'negative') return Math.max(0, -score)
  return feeling === 'neutral' ? (score === 0 ? 1 : 0.1) : score === 0 ? 0.5 : 0
}

/** The label that suits a text best; undefined where nothing speaks for any of them. */
export function bestLabel(text: string, labels: readonly string[]): string | undefined {
  const scores = scoreLabels(text, labels)
  const best = Math.max(...scores)
  return best > 0 ? labels[scores.indexOf(best)] : undefined
}
