import fc from 'fast-check'

/**
 * The time that a property may take, shrinking included: it then fails with its seed, by which the run can be repeated,
 * instead of being cut off without a word by the limit of its test. Give it less than that.
 */
export function endsWithin(ms: number) {
  return { interruptAfterTimeLimit: ms, markInterruptAsFailure: true }
}

// Below the usual 30 seconds of a test.
fc.configureGlobal(endsWithin(25_000))
