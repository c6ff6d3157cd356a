// `npm run prove:orphans -- --rounds 30`: whether workers end whose primary process is killed under load.
import { parseArgs } from 'node:util'
import { proveOrphans } from './orphans.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '30' } } })
const proof = await proveOrphans({ rounds: Number(values.rounds) })
console.log(proof)
console.log(proof.left === 0 ? 'Every worker ended in time.' : 'Workers were left.')
if (proof.left > 0) process.exitCode = 1
