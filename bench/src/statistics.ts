/** The middle value; the mean of both middle ones of an even number. Throws RangeError without any. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const upper = sorted[sorted.length >> 1]
  const lower = sorted[(sorted.length - 1) >> 1]
  if (upper === undefined || lower === undefined) throw new RangeError('No values')
  return (lower + upper) / 2
}

/** The value that so many per cent of them lie below, or the smallest. Throws RangeError without any. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const value = sorted[Math.floor(((sorted.length - 1) * percent) / 100)]
  if (value === undefined) throw new RangeError('No values')
  return value
}

/** How far the values lie apart, as a share of their median. */
export function spread(values: readonly number[]): number {
  return (Math.max(...values) - Math.min(...values)) / median(values)
}

export interface Line {
  /** Growth of y per x. */
  readonly slope: number
  /** Standard error of the slope: a slope below twice this is no growth that was shown. */
  readonly error: number
}

/** The straight line of least squares. Throws RangeError below three points. */
export function fitLine(points: readonly (readonly [x: number, y: number])[]): Line {
  const count = points.length
  if (count < 3) throw new RangeError('A line needs three points')
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / count
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / count
  const squares = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0)
  const slope = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / squares
  const left = points.reduce((sum, [x, y]) => sum + (y - meanY - slope * (x - meanX)) ** 2, 0)
  return { slope, error: Math.sqrt(left / (count - 2) / squares) }
}
