import { GatewayError } from '../../../contract/src/core/errors.ts'
import { serveTasks } from '../../src/workers/serve-tasks.ts'
import type { Task } from '../../src/workers/task.ts'

const double: Task<number, number> = async (input) => input * 2
const echoBytes: Task<Uint8Array, Uint8Array> = async (input) => input
const refuse: Task<string, never> = async (param) => {
  throw new GatewayError('unsupported_value', 'not this one', { param })
}
const throwPlain: Task<null, never> = async () => {
  throw new TypeError('inner detail')
}
const spin: Task<null, never> = async () => {
  for (;;) Math.random()
}
const exit: Task<number, never> = async (code) => process.exit(code)
const eatMemory: Task<null, number> = async () => {
  const kept: unknown[] = []
  for (;;) kept.push(Array.from({ length: 100_000 }, (_, index) => ({ index })))
}
const kept: Uint8Array[] = []
const eatBuffers: Task<null, never> = async () => {
  for (;;) kept.push(new Uint8Array(16 * 1024 * 1024).fill(1))
}
const keepBuffers: Task<number, number> = async (megabytes) => {
  kept.push(new Uint8Array(megabytes * 1024 * 1024).fill(1))
  return process.pid
}
const environment: Task<null, string[]> = async () => Object.keys(process.env)
const count: Task<number, string> = async (steps, { progress }) => {
  for (let step = 1; step <= steps; step += 1) progress(step / steps)
  return 'counted'
}

/** Tasks with every way of ending, for the tests of the pool. */
export const poolTasks = {
  double: async () => double,
  echoBytes: async () => echoBytes,
  refuse: async () => refuse,
  throwPlain: async () => throwPlain,
  spin: async () => spin,
  exit: async () => exit,
  eatMemory: async () => eatMemory,
  eatBuffers: async () => eatBuffers,
  keepBuffers: async () => keepBuffers,
  environment: async () => environment,
  count: async () => count,
}

serveTasks(poolTasks)
