import { createHash, createHmac } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { awsCredentials, awsSecretFrom } from '../../src/providers/aws-signature.ts'

const keyId = 'AKIDEXAMPLE'
const key = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2015, 7, 30, 12, 36, 0), toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

function sign(
  request: Partial<Parameters<ReturnType<typeof awsCredentials>>[1]>,
  secret = `${keyId}:${key}`,
) {
  const whole = {
    method: 'GET',
    url: 'https://example.amazonaws.com/',
    headers: {},
    body: undefined,
    ...request,
  }
  return awsCredentials('service')(secret, whole, { region: 'us-east-1' }, fetch)
}

describe('Signature Version 4', () => {
  it.each([
    ['GET', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    ['POST', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  ])('matches %s-vanilla of AWS’s test suite', async (method, signature) => {
    const headers = await sign({ method })
    expect(headers['x-amz-date']).toBe('20150830T123600Z')
    expect(headers['authorization']).toBe(
      `AWS4-HMAC-SHA256 Credential=${keyId}/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
    )
  })

  it('covers the body and a doubly encoded model id', async () => {
    const url =
      'https://bedrock-runtime.us-east-1.amazonaws.com/model/anthropic.claude%3A0/converse'
    const body = new TextEncoder().encode('{"messages":[]}')
    const headers = await sign({ method: 'POST', url, body }, `${keyId}:${key}:session/token==`)
    expect(headers['x-amz-security-token']).toBe('session/token==')
    const canonical = [
      'POST',
      '/model/anthropic.claude%253A0/converse',
      '',
      'host:bedrock-runtime.us-east-1.amazonaws.com',
      'x-amz-date:20150830T123600Z',
      'x-amz-security-token:session/token==',
      '',
      'host;x-amz-date;x-amz-security-token',
      createHash('sha256').update(body).digest('hex'),
    ].join('\n')
    expect(headers['authorization']).toMatch(
      new RegExp(`Signature=${expectedSignature(canonical)}$`),
    )
  })

  it('is not used for an API key, which is sent as a bearer token', async () => {
    expect(await sign({}, 'ABSKQmVkcm9ja0FQSUtleQ==')).toEqual({
      authorization: 'Bearer ABSKQmVkcm9ja0FQSUtleQ==',
    })
  })
})

/** As the documentation of AWS describes it, step by step. */
function expectedSignature(canonical: string): string {
  const hmac = (secret: string | Buffer, text: string) =>
    createHmac('sha256', secret).update(text).digest()
  const scope = '20150830/us-east-1/service/aws4_request'
  const hash = createHash('sha256').update(canonical).digest('hex')
  const toSign = ['AWS4-HMAC-SHA256', '20150830T123600Z', scope, hash].join('\n')
  const signing = scope
    .split('/')
    .reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${key}`)
  return hmac(signing, toSign).toString('hex')
}

describe('the secret from environment variables', () => {
  it.each([
    [{}, undefined],
    [{ AWS_ACCESS_KEY_ID: 'a' }, undefined],
    [{ AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' }, 'a:b'],
    [{ AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_SESSION_TOKEN: 'c' }, 'a:b:c'],
    [{ AWS_BEARER_TOKEN_BEDROCK: 'k', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' }, 'k'],
  ])('%j', (variables, secret) => {
    expect(awsSecretFrom(variables)).toBe(secret)
  })
})
