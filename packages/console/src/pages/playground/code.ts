/** The same request in the words of each client. */
export function codeOf(
  path: string,
  body: Readonly<Record<string, unknown>>,
): readonly (readonly [name: string, code: string])[] {
  const address = new URL(path, location.href.replace(/#.*$/, '')).href
  const base = address.slice(0, address.indexOf('/v1') + '/v1'.length)
  const json = JSON.stringify(body, null, 2)
  const method = methods[path]
  return [
    [
      'curl',
      `curl ${address} \\\n  -H "Authorization: Bearer $SLUICE_KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '${json.replaceAll("'", `'\\''`)}'`,
    ],
    ...(method === undefined
      ? []
      : ([
          [
            'Python (openai)',
            `import json, os\nfrom openai import OpenAI\n\nclient = OpenAI(base_url="${base}", api_key=os.environ["SLUICE_KEY"])\nrequest = json.loads(r"""\n${json}\n""")\nprint(client.${method}(**request))`,
          ],
          [
            'JavaScript (openai)',
            `import OpenAI from 'openai'\n\nconst client = new OpenAI({ baseURL: '${base}', apiKey: 'sk-…' })\nconsole.log(await client.${method}(${json}))`,
          ],
        ] as const)),
  ]
}

/** What the openai packages call it, in both languages. */
const methods: Readonly<Record<string, string>> = {
  'v1/chat/completions': 'chat.completions.create',
  'v1/embeddings': 'embeddings.create',
  'v1/moderations': 'moderations.create',
  'v1/audio/speech': 'audio.speech.create',
  'v1/images/generations': 'images.generate',
  'v1/videos': 'videos.create',
}
