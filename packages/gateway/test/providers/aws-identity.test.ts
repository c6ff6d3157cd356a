import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { amazonBedrock } from '../../src/providers/amazon-bedrock.ts'

const request = { method: 'POST', url: 'https://bedrock.example/', headers: {}, body: undefined }
const hour = 3_600_000

/** The place where a container asks for the credentials of its role (ECS and EKS Pod Identity). */
async function containerAgent(answer: (asked: number) => { status?: number; body: object }) {
  let asked = 0
  const server = createServer((_request, response) => {
    asked += 1
    const { status = 200, body } = answer(asked)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', `http://127.0.0.1:${port}/role`)
  return {
    asked: () => asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const role = (name: string, lifeMs: number) => ({
  AccessKeyId: name,
  SecretAccessKey: 'secret',
  Token: `token-of-${name}`,
  Expiration: new Date(Date.now() + lifeMs).toISOString(),
})

async function sign() {
  const { awsCredentials } = await import('../../src/providers/aws-signature.ts')
  return awsCredentials('bedrock')('default-chain', request, { region: 'eu-west-1' }, fetch)
}

describe('credentials from AWS’s provider chain', () => {
  beforeEach(() => {
    vi.resetModules()
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_PROFILE'])
      vi.stubEnv(name, undefined)
  })
  afterEach(() => {
    vi.unstubAllEnvs()
  })

  it('sign requests and are fetched once while valid', async () => {
    await using agent = await containerAgent(() => ({ body: role('ASIAROLE', hour) }))
    const headers = await sign()
    expect(headers['authorization']).toMatch(/Credential=ASIAROLE\/\d{8}\/eu-west-1\/bedrock\//)
    expect(headers['x-amz-security-token']).toBe('token-of-ASIAROLE')
    await sign()
    expect(agent.asked()).toBe(1)
  })

  it('are refreshed before they expire', async () => {
    const lives = [60_000, hour]
    await using agent = await containerAgent((asked) => ({
      body: role(`ASIA${asked}`, lives[asked - 1] ?? hour),
    }))
    await sign()
    const token = async () => (await sign())['x-amz-security-token']
    await expect.poll(token).toBe('token-of-ASIA2')
    expect(agent.asked()).toBe(2)
  })

  it('that are refused are an upstream authentication error', async () => {
    await using _agent = await containerAgent(() => ({
      status: 403,
      body: { Code: 'AccessDenied', Message: 'no role' },
    }))
    await expect(sign()).rejects.toMatchObject({ code: 'upstream_refused_us' })
  }, 20_000)

  it.each([
    [{ AWS_WEB_IDENTITY_TOKEN_FILE: '/token' }, 'default-chain'],
    [{ AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://169.254.170.23/' }, 'default-chain'],
    [{ AWS_PROFILE: 'work' }, 'default-chain'],
    [{ AWS_PROFILE: 'work', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' }, 'a:b'],
    [{ AWS_REGION: 'eu-west-1' }, undefined],
  ])('are used where %j is set', (variables, secret) => {
    expect(amazonBedrock.secretFrom?.(variables)).toBe(secret)
  })
})
