import type { ServerResponse } from 'node:http'
import { json, type SeenRequest } from './fake-upstream.ts'

/** How a server answers a request for an address that it does not have. */
type Missing = (seen: SeenRequest, response: ServerResponse) => void

const saying =
  (body: (seen: SeenRequest) => unknown, status = 404): Missing =>
  (seen, response) =>
    json(response, body(seen), { status })

const text =
  (type: string, body: (seen: SeenRequest) => string, status = 404): Missing =>
  (seen, response) => {
    response.writeHead(status, { 'content-type': type })
    response.end(body(seen))
  }

/** The answers of servers and proxies that are in use, by whose they are. */
export const missingAddresses: Readonly<Record<string, Missing>> = {
  OpenAI: saying(({ method, path }) => ({
    error: {
      message: `Invalid URL (${method} ${path})`,
      type: 'invalid_request_error',
      param: null,
      code: null,
    },
  })),
  Groq: saying(({ method, path }) => ({
    error: {
      message: `Unknown request URL: ${method} ${path}. Please check the URL for typos, or see the docs at https://console.groq.com/docs/`,
      type: 'invalid_request_error',
      code: 'unknown_url',
    },
  })),
  FastAPI: saying(() => ({ detail: 'Not Found' })),
  Gin: text('text/plain', () => '404 page not found'),
  Express: text(
    'text/html; charset=utf-8',
    ({ method, path }) =>
      `<!DOCTYPE html><html><body><pre>Cannot ${method} ${path}</pre></body></html>`,
  ),
  Fastify: saying(({ method, path }) => ({
    message: `Route ${method}:${path} not found`,
    error: 'Not Found',
    statusCode: 404,
  })),
  'a handler of one’s own in Fastify': saying(({ method, path }) => ({
    error: { message: `No such endpoint: ${method} ${path}`, type: 'not_found' },
  })),
  'Spring 2': saying(({ path }) => ({
    timestamp: '2026-11-02T10:00:00.000+00:00',
    status: 404,
    error: 'Not Found',
    path,
  })),
  'Spring 3': saying(({ path }) => ({
    type: 'about:blank',
    title: 'Not Found',
    status: 404,
    detail: `No static resource ${path.slice(1)}.`,
    instance: path,
  })),
  Kong: saying(() => ({ message: 'no Route matched with those values' })),
  APISIX: saying(() => ({ error_msg: '404 Route Not Found' })),
  'ASP.NET': saying(() => ({
    type: 'https://tools.ietf.org/html/rfc9110#section-15.5.5',
    title: 'Not Found',
    status: 404,
    traceId: '00-7bff1a5a2f0d1c4f1f2b9a7c3e8d6f50-9c1d2e3f4a5b6c7d-00',
  })),
  'a gateway of gRPC': saying(() => ({ code: 5, message: 'Not Found', details: [] })),
  'llama.cpp': saying(() => ({
    error: { code: 404, message: 'File Not Found', type: 'not_found_error' },
  })),
  Moonshot: saying(({ method, path }) => ({
    code: 5,
    error: 'url.not_found',
    message: '没找到对象',
    method,
    scode: '0x5',
    status: false,
    ua: 'undici',
    url: path,
  })),
  'LM Studio': saying(
    ({ method, path }) => ({ error: `Unexpected endpoint or method. (${method} ${path})` }),
    200,
  ),
  Azure: saying(() => ({ error: { code: '404', message: 'Resource not found' } })),
  Cloudflare: saying(
    () => ({
      success: false,
      errors: [{ code: 7000, message: 'No route for that URI' }],
      messages: [],
      result: null,
    }),
    400,
  ),
  'Cloudflare with 404': saying(() => ({
    success: false,
    errors: [{ code: 7000, message: 'No route for that URI' }],
    messages: [],
    result: null,
  })),
  'API Gateway': saying(() => ({ message: 'Missing Authentication Token' }), 403),
  'another gateway like this one': saying(({ method, path }) => ({
    error: {
      message: `Unknown path: ${method} ${path}`,
      type: 'invalid_request_error',
      param: null,
      code: 'unknown_url',
    },
  })),
  'no body': text('text/plain', () => ''),
  'an empty object': saying(() => ({})),
  'a page at every address': text('text/html', () => '<!doctype html><title>Console</title>', 200),
  'a refused method': text('text/plain', () => 'Method Not Allowed', 405),
  'a refused method of FastAPI': saying(() => ({ detail: 'Method Not Allowed' }), 405),
  'nothing implemented': text('text/plain', () => 'Not Implemented', 501),
}
