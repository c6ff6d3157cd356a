import { ProcessLink } from '../../../packages/store/src/limits/process-link.ts'

/** Two ends of one link, which exchange text as processes do. `sent` is told of each batch. */
export function linked(sent: (batch: readonly unknown[]) => void = () => {}) {
  const asText = (batch: readonly unknown[]): unknown => {
    sent(batch)
    return JSON.parse(JSON.stringify(batch))
  }
  const near: ProcessLink = new ProcessLink((batch) => far.receive(asText(batch)))
  const far: ProcessLink = new ProcessLink((batch) => near.receive(asText(batch)))
  return {
    near,
    far,
    /** Simulates the end of one of the processes. */
    end: (): void => {
      near.close()
      far.close()
    },
  }
}
