import { afterAll, test } from 'vitest'
import {
  leaveOutPostgres,
  openTestDatabase,
} from '../../../packages/store/test/postgres/postgres-server.ts'
import { leaveOut } from '../leave-out.ts'
import { noRedis, openRedisServer } from './redis-server.ts'

/** Both for the tests of a file, and a Redis of its own. Two tests say which of them is missing. */
export async function openPostgresAndRedis() {
  const postgres = await openTestDatabase()
  const redis = await openRedisServer()
  afterAll(async () => {
    await postgres?.[Symbol.asyncDispose]()
    await redis?.[Symbol.asyncDispose]()
  })
  test('PostgreSQL is available', (context) => {
    if (!postgres) leaveOutPostgres(context)
  })
  test('Redis is available', (context) => {
    if (!redis) leaveOut(context, noRedis)
  })
  return { postgres, redis }
}
