import '@mantine/core/styles/NumberInput.css'
import { Button, FileInput, NativeSelect, NumberInput, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useAnswer } from '../../api/queries.ts'
import { Page } from '../../parts/page.tsx'
import { useRole } from '../../session.ts'
import { playgroundTexts } from '../../texts/operation.ts'
import { texts } from '../../texts/texts.ts'
import { chatBody, type ChatForm, type FormError, parsedBody } from './bodies.ts'
import { Answered } from './answered.tsx'
import { nothingYet, type OperationName, operations, type Outcome, run } from './run.ts'
import classes from './playground.module.css'

const modelsMax = 3
const emptyForm: ChatForm = { system: '', prompt: '', tools: '', schema: '' }

interface Run {
  readonly model: string
  readonly body: Readonly<Record<string, unknown>>
  readonly outcome: Outcome
}

interface Asked {
  readonly name: OperationName
  readonly models: readonly string[]
  readonly body: Readonly<Record<string, unknown>>
  readonly file: File | null
}

/** Requests side by side, and what comes of them. */
function useRuns() {
  const [runs, setRuns] = useState<readonly Run[]>([])
  const [stopping, setStopping] = useState<AbortController>()
  const mayLook = useRole() !== 'caller'
  async function send({ name, models, body, file }: Asked): Promise<void> {
    const controller = new AbortController()
    setStopping(controller)
    const begun = models.map((model) => ({ model, body: { model, ...body }, outcome: nothingYet }))
    setRuns(begun)
    const sending = { name, file: file ?? undefined, signal: controller.signal, mayLook }
    const change = (place: number, news: Partial<Outcome>) =>
      setRuns((all) =>
        all.map((one, at) =>
          at === place ? { ...one, outcome: { ...one.outcome, ...news } } : one,
        ),
      )
    await Promise.all(
      begun.map((one, place) => run({ ...sending, body: one.body }, (news) => change(place, news))),
    )
  }
  return { runs, send, stop: () => stopping?.abort(), clear: () => setRuns([]) }
}

/** Asks any model, two or three side by side. */
export function PlaygroundPage() {
  const [name, setName] = useState<OperationName>('chat')
  const { runs, send, stop, clear } = useRuns()
  const isRunning = runs.some(({ outcome }) => outcome.isRunning)
  return (
    <Page title={texts.pages.playground}>
      <NativeSelect
        label={playgroundTexts.operation}
        value={name}
        onChange={({ currentTarget: { value } }) => {
          clear()
          setName(value as OperationName)
        }}
        data={Object.entries(playgroundTexts.operations).map(([value, label]) => ({
          value,
          label,
        }))}
        mb="sm"
      />
      <AskForm key={name} name={name} isRunning={isRunning} onSend={send} onStop={stop} />
      <div className={classes.answers} aria-live="polite" aria-busy={isRunning}>
        {runs.map(({ model, body, outcome }, at) => (
          <Answered
            key={`${model} ${String(at)}`}
            model={model}
            body={body}
            path={operations[name].path}
            outcome={outcome}
          />
        ))}
      </div>
    </Page>
  )
}

interface AskFormProps {
  readonly name: OperationName
  readonly isRunning: boolean
  readonly onSend: (asked: Asked) => Promise<void>
  readonly onStop: () => void
}

function AskForm({ name, isRunning, onSend, onStop }: AskFormProps) {
  const [models, setModels] = useState<readonly string[]>([''])
  const [form, setForm] = useState(emptyForm)
  const [file, setFile] = useState<File | null>(null)
  const [body, setBody] = useState(() => JSON.stringify(operations[name].example, null, 2))
  const [wrong, setWrong] = useState<FormError>()
  const asked = models.filter((model) => model !== '')
  async function submit(): Promise<void> {
    const made = name === 'chat' ? await chatBody(form, file) : parsedBody(body)
    if ('field' in made) return setWrong(made)
    setWrong(undefined)
    await onSend({ name, models: asked, body: made.body, file })
  }
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <Models models={models} onChange={setModels} />
      {name === 'chat' ? (
        <ChatFields form={form} onChange={setForm} wrong={wrong} />
      ) : (
        <Textarea
          className={classes.code ?? ''}
          label={playgroundTexts.body}
          value={body}
          onChange={({ currentTarget: { value } }) => setBody(value)}
          autosize
          minRows={5}
          maxRows={20}
          error={wrong?.field === 'body' ? playgroundTexts.badJson : undefined}
        />
      )}
      {(name === 'chat' || 'fileField' in operations[name]) && (
        <FileInput
          label={name === 'chat' ? playgroundTexts.picture : playgroundTexts.file}
          value={file}
          onChange={setFile}
          clearable
          clearButtonProps={{ 'aria-label': playgroundTexts.remove }}
        />
      )}
      <div className={classes.buttons}>
        <Button type="submit" disabled={isRunning || asked.length === 0}>
          {playgroundTexts.send}
        </Button>
        <Button variant="default" disabled={!isRunning} onClick={onStop}>
          {playgroundTexts.stop}
        </Button>
      </div>
    </form>
  )
}

interface ModelsProps {
  readonly models: readonly string[]
  readonly onChange: (models: readonly string[]) => void
}

function Models({ models, onChange }: ModelsProps) {
  const known = useAnswer('listModels')
  return (
    <fieldset className={classes.models}>
      <legend>{playgroundTexts.models}</legend>
      <datalist id="models">
        {known.data?.data.map(({ id }) => (
          <option key={id} value={id}>
            {id}
          </option>
        ))}
      </datalist>
      {models.map((model, at) => (
        <TextInput
          key={String(at)}
          aria-label={`${playgroundTexts.model} ${at + 1}`}
          list="models"
          value={model}
          onChange={({ currentTarget: { value } }) => onChange(models.with(at, value))}
        />
      ))}
      {models.length < modelsMax && (
        <Button variant="default" onClick={() => onChange([...models, ''])}>
          {playgroundTexts.add}
        </Button>
      )}
      {models.length > 1 && (
        <Button variant="default" onClick={() => onChange(models.slice(0, -1))}>
          {playgroundTexts.remove}
        </Button>
      )}
    </fieldset>
  )
}

interface ChatFieldsProps {
  readonly form: ChatForm
  readonly onChange: (form: ChatForm) => void
  readonly wrong: FormError | undefined
}

function ChatFields({ form, onChange, wrong }: ChatFieldsProps) {
  const texted = (name: 'system' | 'prompt' | 'tools' | 'schema') => ({
    label: playgroundTexts[name],
    value: form[name],
    autosize: true,
    maxRows: 16,
    error: wrong?.field === name ? playgroundTexts.badJson : undefined,
    onChange: (event: React.ChangeEvent<HTMLTextAreaElement>) =>
      onChange({ ...form, [name]: event.currentTarget.value }),
  })
  return (
    <>
      <Textarea {...texted('system')} />
      <Textarea {...texted('prompt')} minRows={3} />
      <Textarea {...texted('tools')} className={classes.code ?? ''} />
      <Textarea {...texted('schema')} className={classes.code ?? ''} />
      <NumberInput
        label={playgroundTexts.maxTokens}
        value={form.maxTokens ?? ''}
        min={1}
        onChange={(value) => {
          const { maxTokens: _before, ...rest } = form
          onChange(typeof value === 'number' ? { ...rest, maxTokens: value } : rest)
        }}
      />
    </>
  )
}
