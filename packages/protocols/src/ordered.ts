/** The number of items at the beginning of the list that meet the condition. No item after one that does not may meet it. */
export function countWhere<T>(list: readonly T[], isSo: (item: T) => boolean): number {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const item = list[middle]
    if (item !== undefined && isSo(item)) low = middle + 1
    else high = middle
  }
  return low
}
