import { describe, expect, test } from 'vitest'
import { readProxies } from '../../../sluice/src/config/proxies.ts'
import { createProxyChoice } from '../../src/dial/proxies.ts'

const http = 'http://web.proxy:1'
const https = 'http://tls.proxy:1'
const goalOf = (address: string) => {
  const { protocol, hostname, port } = new URL(address)
  const isTls = protocol === 'https:'
  const usual = isTls ? 443 : 80
  return {
    isTls,
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? usual : Number(port),
  }
}

describe('the proxy of the environment', () => {
  test.each([
    ['http://a.example/', '', http],
    ['https://a.example/', '', https],
    ['https://a.example/', '*', undefined],
    ['https://a.example/', 'a.example', undefined],
    ['https://a.example/', 'A.EXAMPLE', undefined],
    ['https://a.example./', 'a.example', undefined],
    ['https://sub.a.example/', 'a.example', undefined],
    ['https://sub.a.example/', '.a.example', undefined],
    ['https://sub.a.example/', '*.a.example', undefined],
    ['https://nota.example/', 'a.example', https],
    ['https://a.example.org/', 'a.example', https],
    ['https://a.example/', 'b.example,a.example', undefined],
    ['https://a.example/', 'b.example  a.example', undefined],
    ['https://a.example/', 'a.example:443', undefined],
    ['https://a.example/', 'a.example:8443', https],
    ['https://a.example:8443/', 'a.example:8443', undefined],
    ['https://10.1.2.3/', '10.1.2.3', undefined],
    ['https://10.1.2.3/', '10.0.0.0/8', undefined],
    ['https://11.1.2.3/', '10.0.0.0/8', https],
    ['https://a.example/', '10.0.0.0/8', https],
    ['https://[2001:db8::7]/', '2001:db8::7', undefined],
    ['https://[2001:db8::7]/', '[2001:db8::7]', undefined],
    ['https://[2001:db8::7]:8443/', '[2001:db8::7]:8443', undefined],
    ['https://[2001:db8::7]/', '2001:db8::/32', undefined],
    ['https://[2001:db9::7]/', '2001:db8::/32', https],
    ['http://localhost/', '', undefined],
    ['http://api.localhost/', '', undefined],
    ['http://127.8.9.10/', '', undefined],
    ['https://[::1]/', '', undefined],
    ['https://localhost.example/', '', https],
  ])('for %s with NO_PROXY %j is %s', (address, none, proxy) => {
    expect(createProxyChoice({ http, https, none })(goalOf(address))).toBe(proxy)
  })

  test.each([
    ['in capitals', { HTTPS_PROXY: https }, { https }],
    ['in lower case', { https_proxy: https, no_proxy: 'a' }, { https, none: 'a' }],
    ['in both, of which lower case counts', { HTTP_PROXY: https, http_proxy: http }, { http }],
    ['without a scheme', { HTTP_PROXY: 'proxy:3128' }, { http: 'http://proxy:3128' }],
    ['for all', { ALL_PROXY: https, HTTP_PROXY: http }, { http, https }],
    ['of SOCKS', { all_proxy: 'socks5h://p:1' }, { http: 'socks5://p:1', https: 'socks5://p:1' }],
    ['empty', { HTTP_PROXY: '', NO_PROXY: '' }, {}],
  ])('is read %s', (_, variables, expected) => {
    expect(readProxies(variables)).toEqual(expected)
  })

  test.each(['ftp://proxy:1', 'http://user:secret@', 'http://a b:1', 'http://proxy:secret'])(
    'is rejected by the name of its variable: %s',
    (value) => {
      expect(() => readProxies({ HTTPS_PROXY: value })).toThrow(/^HTTPS_PROXY must be the URL/)
      expect(() => readProxies({ HTTPS_PROXY: value })).not.toThrow(/secret/)
    },
  )
})
