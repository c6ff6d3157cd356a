import { describe, expect, it } from 'vitest'
import { agents, runAgent } from './support/agent-loops.ts'

const content = 'The secret word is zebra.\nSecond line here.'

describe.each(agents.map((agent) => [agent.name, agent] as const))('%s', (_, agent) => {
  it.each([
    'Read the file a/b.txt and tell me what is written in it',
    'What is in a/b.txt?',
    'Please show me the contents of `a/b.txt`.',
    'What does the file a/b.txt say?',
  ])('%s', async (request) => {
    const { answer, calls } = await runAgent(agent, request, { 'a/b.txt': `${content}\n` })
    expect(answer).toBe(`a/b.txt says:\n\n${content}`)
    expect(calls).toHaveLength(1)
  })

  it.each([
    'In notes.txt replace foo with bar',
    'Replace "foo" with "bar" in notes.txt.',
    'Change foo to bar in the file notes.txt, please.',
    'Edit notes.txt: change the word `foo` to `bar`.',
    'Please change the text from foo to bar in notes.txt',
  ])('%s', async (request) => {
    const { answer, calls, files } = await runAgent(agent, request, {
      'notes.txt': 'one foo here\ntwo lines\n',
    })
    expect(files.get('notes.txt')).toBe('one bar here\ntwo lines\n')
    expect(answer).toBe('Done: in notes.txt, "foo" was replaced with "bar".')
    expect(calls).toHaveLength(2)
  })

  it('changes nothing where the text is missing, and says so', async () => {
    const written = { 'notes.txt': 'one\n' }
    const { answer, files } = await runAgent(agent, 'In notes.txt replace foo with bar', written)
    expect(files.get('notes.txt')).toBe('one\n')
    expect(answer).toBe('notes.txt does not hold "foo"; nothing was changed.')
  })

  it.each([
    ['What is 15% of 80?', '12'],
    ['What is the weather in Paris? Do not use any tool.', 'without neural weights'],
    ['Read the file a/b.txt without tools', 'without neural weights'],
    ['Say hello', 'ello'],
    ['Read the file and tell me what is written in it', 'without neural weights'],
    ['Write a poem about the sea', 'without neural weights'],
    ['Plan my tasks for today', 'without neural weights'],
  ])('%s: calls no tool that writes, runs or spawns', async (request, answered) => {
    const { answer, calls } = await runAgent(agent, request, { 'a/b.txt': content })
    expect(calls).toEqual([])
    expect(answer).toContain(answered)
  })
})
