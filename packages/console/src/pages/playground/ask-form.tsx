import '@mantine/core/styles/NumberInput.css'
import { Button, FileInput, type FileInputProps, Group, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useAnswer } from '../../api/queries.ts'
import { playgroundTexts } from '../../texts/playground.ts'
import { chatBody, type ChatForm, type FormError, parsedBody } from './bodies.ts'
import { ChatFields } from './chat-fields.tsx'
import { type Operation, type OperationName, operations } from './operations.ts'
import classes from './playground.module.css'
import type { PlaygroundRequest } from './use-runs.ts'

const modelsMax = 3
const emptyForm: ChatForm = {
  system: '',
  prompt: '',
  tools: '',
  schema: '',
  voice: '',
  numbers: {},
  effort: '',
  stop: '',
}

interface AskFormProps {
  readonly name: OperationName
  readonly isRunning: boolean
  readonly onSend: (asked: PlaygroundRequest) => Promise<void>
  readonly onStop: () => void
}

/** The request of one operation: a form for chat completions, and JSON with an optional file for the others. */
export function AskForm({ name, isRunning, onSend, onStop }: AskFormProps) {
  const [models, setModels] = useState<readonly string[]>([''])
  const [form, setForm] = useState(emptyForm)
  const [file, setFile] = useState<File | null>(null)
  const [mask, setMask] = useState<File | null>(null)
  const [body, setBody] = useState(() => JSON.stringify(operations[name].example, null, 2))
  const [wrong, setWrong] = useState<FormError>()
  const { accept, fileField, takesMask }: Operation = operations[name]
  const asked = models.map((model) => model.trim()).filter((model) => model !== '')
  const lacksFile = fileField !== undefined && file === null
  async function submit(): Promise<void> {
    const made = name === 'chat' ? await chatBody(form, file) : parsedBody(body)
    if ('field' in made) return setWrong(made)
    setWrong(undefined)
    await onSend({ name, models: asked, body: made.body, file, mask })
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
      {accept !== undefined && (
        <OneFile
          label={name === 'chat' ? playgroundTexts.picture : playgroundTexts.file}
          accept={accept}
          value={file}
          onChange={setFile}
        />
      )}
      {takesMask && (
        <OneFile
          label={playgroundTexts.mask}
          description={playgroundTexts.maskHint}
          accept="image/png"
          value={mask}
          onChange={setMask}
        />
      )}
      <Group gap="0.5rem">
        <Button type="submit" disabled={isRunning || asked.length === 0 || lacksFile}>
          {playgroundTexts.send}
        </Button>
        <Button variant="default" disabled={!isRunning} onClick={onStop}>
          {playgroundTexts.stop}
        </Button>
      </Group>
    </form>
  )
}

interface OneFileProps
  extends Pick<FileInputProps, 'description' | 'accept' | 'value' | 'onChange'> {
  readonly label: string
}

function OneFile(props: OneFileProps) {
  return (
    <FileInput
      {...props}
      maw="24rem"
      placeholder={playgroundTexts.chooseFile}
      clearable
      clearButtonProps={{ 'aria-label': `${playgroundTexts.remove}: ${props.label}` }}
    />
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
          className={classes.model ?? ''}
          aria-label={`${playgroundTexts.model} ${at + 1}`}
          placeholder={playgroundTexts.modelHint}
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
