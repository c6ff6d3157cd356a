import type { FaultGroup } from './fault.ts'
import { broken, garbage, hiddenErrors, sizes } from './faults-bodies.ts'
import { compressed } from './faults-compressed.ts'
import { connections, earlyEnds, slowAnswers, stops } from './faults-ends.ts'
import { errorStatuses, retryAfters } from './faults-statuses.ts'

/** Every way in which an upstream misbehaves. */
export const faultGroups: readonly FaultGroup[] = [
  connections,
  stops,
  earlyEnds,
  slowAnswers,
  garbage,
  compressed,
  hiddenErrors,
  broken,
  sizes,
  errorStatuses,
  retryAfters,
]
