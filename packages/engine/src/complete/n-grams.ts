/** How often each token came behind each beginning, for beginnings of one to three tokens. */
export interface NGrams {
  /** Learns one more token behind those before it. */
  readonly learn: (history: readonly string[], token: string) => void
  /** The tokens that may follow and their probabilities, which sum to 1; empty before anything was learnt. */
  readonly predict: (history: readonly string[]) => readonly Prediction[]
  /** How many tokens of the history the best known beginning has, 0 to 3. */
  readonly order: (history: readonly string[]) => number
}

export interface Prediction {
  readonly token: string
  readonly probability: number
}

const orderMax = 3
/** The part of the probability that goes to the longest beginning that is known; the rest goes to shorter ones. */
const trust = 0.9
/** Of a common beginning only so many followers are weighed. */
const followersMax = 64

type Counts = Map<string, number>

/** An n-gram model that knows nothing but what it is shown. */
export function createNGrams(): NGrams {
  const tables = Array.from({ length: orderMax + 1 }, () => new Map<string, Counts>())
  const ranked = new Map<Counts, readonly Share[]>()
  const sharesOf = (counts: Counts): readonly Share[] => {
    const known = ranked.get(counts)
    if (known !== undefined) return known
    const shares = rank(counts)
    ranked.set(counts, shares)
    return shares
  }
  const followersOf = (history: readonly string[], order: number): Counts | undefined =>
    tables[order]?.get(keyOf(history, order))
  return {
    learn(history, token) {
      for (let order = 0; order <= Math.min(orderMax, history.length); order++) {
        const table = tables[order]
        if (table === undefined) continue
        const key = keyOf(history, order)
        const counts = table.get(key) ?? new Map<string, number>()
        counts.set(token, (counts.get(token) ?? 0) + 1)
        ranked.delete(counts)
        table.set(key, counts)
      }
    },
    predict(history) {
      const mixed = new Map<string, number>()
      let rest = 1
      for (let order = Math.min(orderMax, history.length); order >= 0; order--) {
        const counts = followersOf(history, order)
        if (counts === undefined) continue
        const part = order === 0 ? rest : rest * trust
        rest -= part
        for (const { token, share } of sharesOf(counts))
          mixed.set(token, (mixed.get(token) ?? 0) + part * share)
        if (rest < 1e-3) break
      }
      const total = [...mixed.values()].reduce((sum, value) => sum + value, 0)
      return [...mixed]
        .map(([token, value]) => ({ token, probability: value / total }))
        .sort(byProbability)
    },
    order(history) {
      for (let order = Math.min(orderMax, history.length); order > 0; order--)
        if (followersOf(history, order) !== undefined) return order
      return 0
    },
  }
}

function keyOf(history: readonly string[], order: number): string {
  return order === 0 ? '' : history.slice(history.length - order).join('\u0000')
}

interface Share {
  readonly token: string
  readonly share: number
}

/** The commonest followers and what part of all each of them is. */
function rank(counts: Counts): Share[] {
  const common = [...counts].sort((left, right) => right[1] - left[1]).slice(0, followersMax)
  const total = common.reduce((sum, [, count]) => sum + count, 0)
  return common.map(([token, count]) => ({ token, share: count / total }))
}

/** Likeliest first; what is equally likely in the order of the alphabet, so that equal requests get equal answers. */
function byProbability(left: Prediction, right: Prediction): number {
  return right.probability - left.probability || (left.token < right.token ? -1 : 1)
}
