import fc from 'fast-check'

/**
 * The time that a property may take, shrinking included: it then fails with its seed, by which the run can be repeated,
 * instead of being cut off without a word by the limit of its test. Give it less than that.
 */
export function endsWithin(ms: number) {
  return { interruptAfterTimeLimit: ms, markInterruptAsFailure: true }
}

/** The same cases in each run, so that a change is judged by itself; PROPERTY_SEED has a number of your own, or `random`. */
function chosenSeed(): { seed?: number } {
  const { PROPERTY_SEED: seed = '20261122' } = process.env
  return seed === 'random' ? {} : { seed: Number(seed) }
}

// Below the usual 30 seconds of a test.
fc.configureGlobal({ ...endsWithin(25_000), ...chosenSeed() })
