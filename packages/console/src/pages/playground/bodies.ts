/** What the form of a chat holds. */
export interface ChatForm {
  readonly system: string
  readonly prompt: string
  readonly tools: string
  readonly schema: string
  readonly maxTokens?: number
}

/** Which field holds no JSON. */
export interface FormError {
  readonly field: 'tools' | 'schema' | 'body'
}

export interface Body {
  readonly body: Readonly<Record<string, unknown>>
}

/** A streamed chat request without its model. */
export async function chatBody(form: ChatForm, file: File | null): Promise<Body | FormError> {
  const { system, prompt, maxTokens } = form
  const tools = parsed(form.tools)
  const schema = parsed(form.schema)
  if (form.tools.trim() !== '' && !Array.isArray(tools)) return { field: 'tools' }
  if (form.schema.trim() !== '' && !isRecord(schema)) return { field: 'schema' }
  const text = { type: 'text', text: prompt }
  return {
    body: {
      messages: [
        ...(system === '' ? [] : [{ role: 'system', content: system }]),
        { role: 'user', content: file ? [text, await partOf(file)] : prompt },
      ],
      stream: true,
      stream_options: { include_usage: true },
      ...(maxTokens !== undefined && { max_completion_tokens: maxTokens }),
      ...(Array.isArray(tools) && { tools }),
      ...(isRecord(schema) && {
        response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
      }),
    },
  }
}

export function parsedBody(text: string): Body | FormError {
  const body = parsed(text)
  return isRecord(body) ? { body } : { field: 'body' }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A picture as an address of its bytes, and sound as base64. */
async function partOf(file: File): Promise<object> {
  const url = await dataUrlOf(file)
  if (!file.type.startsWith('audio/')) return { type: 'image_url', image_url: { url } }
  const format = file.type.includes('mpeg') ? 'mp3' : 'wav'
  return { type: 'input_audio', input_audio: { data: url.slice(url.indexOf(',') + 1), format } }
}

function dataUrlOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () =>
      resolve(typeof reader.result === 'string' ? reader.result : ''),
    )
    reader.addEventListener('error', () => reject(new Error(`${file.name} cannot be read`)))
    reader.readAsDataURL(file)
  })
}
