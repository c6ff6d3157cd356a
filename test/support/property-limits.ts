import fc from 'fast-check'

/**
 * Limits the time of a property test, including shrinking: it then fails with its seed, with which the run can be repeated,
 * instead of being stopped without a message by the time limit of the test. Give it less time than that limit.
 */
export function endsWithin(ms: number) {
  return { interruptAfterTimeLimit: ms, markInterruptAsFailure: true }
}

/**
 * Uses the same cases in each run, so that results differ only because of a change; PROPERTY_SEED sets another number, or
 * `random`.
 */
function chosenSeed(): { seed?: number } {
  const { PROPERTY_SEED: seed = '20261122' } = process.env
  return seed === 'random' ? {} : { seed: Number(seed) }
}

// Below the usual test limit of 30 seconds.
fc.configureGlobal({ ...endsWithin(25_000), ...chosenSeed() })
