import { readFileSync } from 'node:fs'
import type { ChatRequest } from '../../../contract/src/operations/chat-request.ts'
import { replyTo } from './ask-chat.ts'

type Tool = NonNullable<ChatRequest['tools']>[number]
type Message = ChatRequest['messages'][number]
type Arguments = Readonly<Record<string, unknown>>

/** A command-line agent as the engine sees it: its tools, what it puts around a request, and how its tools answer. */
export interface Agent {
  readonly name: string
  readonly tools: readonly Tool[]
  readonly messages: (request: string) => Message[]
  readonly run: (name: string, input: Arguments, files: Map<string, string>) => string
}

const folder = '/home/ada/project'

/** The tools that the agents send, their descriptions cut after the first sentence; `manual` is put behind each of them. */
function toolsOf(agent: string, more: readonly Tool[] = []): Tool[] {
  const text = readFileSync(new URL(`../agents/${agent}.json`, import.meta.url), 'utf8')
  const declared = JSON.parse(text) as {
    name: string
    description: string
    parameters: Arguments
  }[]
  const functions = declared.map(
    ({ name, description, parameters }): Tool => ({
      type: 'function',
      function: { name, description: `${description}\n\n${manual}`, parameters },
    }),
  )
  return [...functions, ...more]
}

const manual = `Usage:
- Use this tool to read, write, edit or search files, run commands, plan tasks, fetch pages, and tell what is written.
- What is the weather in Paris? Calculate percentages of prices with it, and launch agents for complex tasks.
`.repeat(20)

const system = (text: string): Message => ({
  role: 'system',
  content: text.padEnd(6000, '. Be careful'),
})
const user = (...texts: string[]): Message => ({
  role: 'user',
  content: texts.map((text) => ({ type: 'text', text })),
})
const reminder = (text: string): string => `<system-reminder>\n${text}\n</system-reminder>`

const inFolder = (path: unknown): string =>
  String(path).replace(`${folder}/`, '').replace(/^\.\//, '')

function contentOf(files: ReadonlyMap<string, string>, path: unknown): string {
  const content = files.get(inFolder(path))
  if (content === undefined) throw new Error(`ENOENT: no such file or directory, open '${path}'`)
  return content
}

/** Replaces a text that must stand in the file exactly once, as edit tools demand. */
function replaceIn(files: Map<string, string>, path: unknown, old: unknown, fresh: unknown): void {
  const content = contentOf(files, path)
  const parts = content.split(String(old))
  if (parts.length !== 2) throw new Error(`Error: ${parts.length - 1} occurrences of ${old}`)
  files.set(inFolder(path), parts.join(String(fresh)))
}

const lines = (text: string, mark: (line: string, number: number) => string): string =>
  text
    .replace(/\n$/, '')
    .split('\n')
    .map((line, index) => mark(line, index + 1))
    .join('\n')

/** `cat FILE` and `sed -i s/OLD/NEW/g FILE`, which is all the shell that is needed. */
function shell(command: string, files: Map<string, string>): string {
  const cat = /^cat (\S+)$/.exec(command)
  if (cat !== null) return contentOf(files, cat[1])
  const sed = /^sed -i '?s\/(.+)\/(.+)\/g'? (\S+)$/.exec(command)
  if (sed === null) throw new Error(`${command}: not found`)
  files.set(sed[3] ?? '', contentOf(files, sed[3]).replaceAll(sed[1] ?? '', sed[2] ?? ''))
  return ''
}

/** What codex's apply_patch does to one file. */
function patch(text: string, files: Map<string, string>): string {
  const path = /^\*\*\* Update File: (.+)$/m.exec(text)?.[1] ?? ''
  const hunk = text.split('\n')
  const side = (sign: string): string =>
    hunk
      .filter((line) => line.startsWith(sign))
      .map((line) => line.slice(1))
      .join('\n')
  if (!text.startsWith('*** Begin Patch\n') || !text.endsWith('\n*** End Patch'))
    throw new Error('invalid patch')
  replaceIn(files, path, side('-'), side('+'))
  return 'Success. Updated the following files:\nM ' + path
}

const codexOutput = (output: string): string =>
  `Chunk ID: efc11a\nWall time: 0.0000 seconds\nProcess exited with code 0\nOriginal token count: 12\nOutput:\n${output}`

const codexMessages = (request: string): Message[] => [
  system('You are a coding agent running in the Codex CLI'),
  user(
    '# AGENTS.md instructions for /home/ada/project\n\n<INSTRUCTIONS>\nAlways run `npm test`.\n</INSTRUCTIONS>',
  ),
  user(
    `<environment_context>\n  <cwd>${folder}</cwd>\n  <shell>bash</shell>\n</environment_context>`,
  ),
  user(request),
]

export const agents: readonly Agent[] = [
  {
    name: 'codex',
    tools: toolsOf('codex'),
    messages: codexMessages,
    run: (_, input, files) => codexOutput(shell(String(input['cmd']), files)),
  },
  {
    name: 'codex with apply_patch',
    tools: toolsOf('codex', [
      {
        type: 'custom',
        custom: {
          name: 'apply_patch',
          description: 'Use the `apply_patch` tool to edit files. This is a FREEFORM tool.',
          format: {
            type: 'grammar',
            grammar: { syntax: 'lark', definition: 'start: begin_patch' },
          },
        },
      },
    ]),
    messages: codexMessages,
    run: (name, input, files) =>
      name === 'apply_patch'
        ? patch(String(input['text']), files)
        : codexOutput(shell(String(input['cmd']), files)),
  },
  {
    name: 'Claude Code',
    tools: toolsOf('claude'),
    messages: (request) => [
      system(`# Environment\n - Primary working directory: ${folder}\n`),
      user(
        reminder(
          "# gitStatus\nCurrent branch: main\n\nTell the Agent to commit. Today's date is 2026-11-21.",
        ),
        reminder('Available skills: init, review. Use the Skill tool.'),
        request,
      ),
    ],
    run: (name, input, files) => {
      if (!String(input['file_path']).startsWith(folder))
        throw new Error(`must be absolute: ${name} ${JSON.stringify(input)}`)
      if (name === 'Edit')
        replaceIn(files, input['file_path'], input['old_string'], input['new_string'])
      return name === 'Read'
        ? lines(contentOf(files, input['file_path']), (line, number) => `${number}\t${line}`)
        : `The file ${input['file_path']} has been updated.`
    },
  },
  {
    name: 'gemini-cli',
    tools: toolsOf('gemini'),
    messages: (request) => [
      system('You are Gemini CLI, an autonomous CLI agent'),
      user(
        `<session_context>\nThis is the Gemini CLI.\n- **Workspace Directories:**\n  - ${folder}\n</session_context>`,
        request,
      ),
    ],
    run: (name, input, files) => {
      if (name === 'replace')
        replaceIn(files, input['file_path'], input['old_string'], input['new_string'])
      return JSON.stringify({
        output:
          name === 'read_file'
            ? contentOf(files, input['file_path'])
            : 'Successfully modified file',
      })
    },
  },
  {
    name: 'qwen-code',
    tools: toolsOf('qwen'),
    messages: (request) => [
      system('You are Qwen Code'),
      user(
        reminder('<available_skills>\n<skill>\n<name>batch</name>\n</skill>\n</available_skills>'),
        reminder(`I'm currently working in the directory: ${folder}\n`),
        request,
      ),
    ],
    run: (name, input, files) => {
      if (!String(input['file_path']).startsWith(folder))
        throw new Error('File path must be absolute')
      if (name === 'edit')
        replaceIn(files, input['file_path'], input['old_string'], input['new_string'])
      return name === 'read_file'
        ? contentOf(files, input['file_path'])
        : 'The file has been updated.'
    },
  },
  {
    name: 'opencode',
    tools: toolsOf('opencode'),
    messages: (request) => [system('You are opencode'), { role: 'user', content: `"${request}"` }],
    run: (name, input, files) => {
      if (name === 'edit')
        replaceIn(files, input['filePath'], input['oldString'], input['newString'])
      const numbered = (): string =>
        lines(contentOf(files, input['filePath']), (line, number) => `${number}: ${line}`)
      return name === 'read'
        ? `<path>${input['filePath']}</path>\n<type>file</type>\n<content>\n${numbered()}\n\n(End of file - total 2 lines)\n</content>`
        : 'Edit applied successfully.'
    },
  },
  {
    name: 'cline',
    tools: toolsOf('cline'),
    messages: (request) => [
      system('You are Cline, an AI coding agent'),
      user(`<user_input mode="act">${request}</user_input>`),
    ],
    run: (name, input, files) => {
      const [file] = (input['files'] ?? []) as { path: string }[]
      if (name === 'editor') replaceIn(files, input['path'], input['old_text'], input['new_text'])
      const result =
        name === 'read_files'
          ? lines(contentOf(files, file?.path), (line, number) => `${number} | ${line}`)
          : 'Edited'
      return JSON.stringify([{ query: file?.path ?? input['path'], result, success: true }])
    },
  },
  {
    name: 'pi',
    tools: toolsOf('pi'),
    messages: (request) => [
      {
        role: 'system',
        content: 'You are an expert coding assistant. Be concise in your responses.',
      },
      { role: 'user', content: request },
    ],
    run: (name, input, files) => {
      const [edit] = (input['edits'] ?? []) as { oldText: string; newText: string }[]
      if (name === 'edit') replaceIn(files, input['path'], edit?.oldText, edit?.newText)
      return name === 'read' ? contentOf(files, input['path']) : 'Successfully replaced 1 block(s).'
    },
  },
]

export interface Outcome {
  readonly answer: string
  /** `name arguments` of every call made. */
  readonly calls: readonly string[]
  readonly files: ReadonlyMap<string, string>
}

const turnsMax = 6

/** Runs an agent's loop until the engine answers in words. */
export async function runAgent(
  agent: Agent,
  request: string,
  written: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const files = new Map(Object.entries(written))
  const messages = agent.messages(request)
  const calls: string[] = []
  for (let turn = 0; turn < turnsMax; turn++) {
    const reply = await replyTo({ messages, tools: [...agent.tools], temperature: 0 })
    const message = reply.choices[0]?.message
    const made = message?.tool_calls ?? []
    if (made.length === 0) return { answer: message?.content ?? '', calls, files }
    messages.push({ role: 'assistant', content: null, tool_calls: made })
    for (const call of made) {
      const name = call.function?.name ?? call.custom?.name ?? ''
      const input = call.function?.arguments ?? JSON.stringify({ text: call.custom?.input })
      calls.push(`${name} ${input}`)
      const content = agent.run(name, JSON.parse(input) as Arguments, files)
      messages.push({ role: 'tool', tool_call_id: call.id, content })
    }
    // As Claude Code does: what comes after a result is no new request.
    messages.push(
      user(reminder('The task tools have not been used. Use Task to track what you do.')),
    )
  }
  throw new Error(`${agent.name} did not come to an end: ${calls.join('; ')}`)
}
