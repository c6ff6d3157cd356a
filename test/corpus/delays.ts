// Prints how long large answers hold up /healthz: `node test/corpus/delays.ts`. Meant for a machine with nothing else to do.
import { largeAnswerGateway } from '../support/gateways/large-answer-gateway.ts'
import { largeAnswers } from './large-answers.ts'
import { largeCalls } from './large-calls.ts'
import { longLists } from './long-lists.ts'

await using gateway = await largeAnswerGateway()
console.log(`${Math.round(gateway.idleMs)} ms  nothing else is asked`)
for (const { name, status, ...one } of [...largeAnswers, ...largeCalls, ...longLists]) {
  const taken = await gateway.take(one)
  const said = taken.status === status ? '' : `  (${taken.status})`
  console.log(
    `${Math.round(taken.waitMs)} ms  ${name}, ${Math.round(taken.came.length / 1024)} KiB${said}`,
  )
}
