import { ProcessLink } from '../../packages/sluice/src/storage/process-link.ts'

/** Two ends of one link, over texts as between processes. */
export function linked() {
  const asText = (batch: readonly unknown[]): unknown => JSON.parse(JSON.stringify(batch))
  const near: ProcessLink = new ProcessLink((batch) => far.receive(asText(batch)))
  const far: ProcessLink = new ProcessLink((batch) => near.receive(asText(batch)))
  return {
    near,
    far,
    /** One of the processes is gone. */
    end: (): void => {
      near.close()
      far.close()
    },
  }
}
