import { Anchor, NumberInput, Textarea } from '@mantine/core'
import { Choice } from '../../parts/choice.tsx'
import { playgroundTexts } from '../../texts/playground.ts'
import { type ChatForm, chatNumbers, type FormError, type NumberName } from './bodies.ts'
import classes from './playground.module.css'

const voiceNames = ['alloy', 'ash', 'coral', 'echo', 'sage', 'shimmer']
const voices: Readonly<Record<string, string>> = {
  '': playgroundTexts.noVoice,
  ...Object.fromEntries(voiceNames.map((voice) => [voice, voice])),
}

const exampleTools = JSON.stringify(
  [
    {
      type: 'function',
      function: {
        name: 'get_weather',
        description: 'The weather of a city',
        parameters: {
          type: 'object',
          properties: { city: { type: 'string' } },
          required: ['city'],
        },
      },
    },
  ],
  null,
  2,
)

const efforts: Readonly<Record<string, string>> = {
  '': playgroundTexts.noEffort,
  ...Object.fromEntries(
    ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'].map((effort) => [effort, effort]),
  ),
}

interface ChatFieldsProps {
  readonly form: ChatForm
  readonly onChange: (form: ChatForm) => void
  readonly wrong: FormError | undefined
}

/** The fields of a chat request; those that are seldom needed are collapsed. */
export function ChatFields({ form, onChange, wrong }: ChatFieldsProps) {
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
      <Textarea {...texted('prompt')} minRows={3} />
      <details className={classes.options}>
        <summary>{playgroundTexts.options}</summary>
        <div className={classes.fields}>
          <Textarea {...texted('system')} minRows={2} />
          <div>
            <Textarea
              {...texted('tools')}
              description={playgroundTexts.toolsHint}
              className={classes.code ?? ''}
              minRows={2}
            />
            <Anchor
              component="button"
              type="button"
              size="xs"
              onClick={() => onChange({ ...form, tools: exampleTools })}
            >
              {playgroundTexts.exampleTools}
            </Anchor>
          </div>
          <Textarea {...texted('schema')} className={classes.code ?? ''} minRows={2} />
          <Choice
            label={playgroundTexts.voice}
            value={form.voice}
            of={voices}
            onChange={(voice) => onChange({ ...form, voice })}
          />
          <Parameters form={form} onChange={onChange} />
        </div>
      </details>
    </>
  )
}

/** What else decides how the model answers. */
function Parameters({ form, onChange }: Omit<ChatFieldsProps, 'wrong'>) {
  return (
    <>
      {(Object.keys(chatNumbers) as readonly NumberName[]).map((name) => (
        <NumberInput
          key={name}
          label={playgroundTexts.numbers[name]}
          {...chatNumbers[name]}
          value={form.numbers[name] ?? ''}
          onChange={(value) => {
            const { [name]: _before, ...rest } = form.numbers
            const numbers = typeof value === 'number' ? { ...rest, [name]: value } : rest
            onChange({ ...form, numbers })
          }}
        />
      ))}
      <Choice
        label={playgroundTexts.effort}
        value={form.effort}
        of={efforts}
        onChange={(effort) => onChange({ ...form, effort })}
      />
      <Textarea
        label={playgroundTexts.stopWords}
        value={form.stop}
        onChange={({ currentTarget: { value } }) => onChange({ ...form, stop: value })}
        autosize
        minRows={1}
      />
    </>
  )
}
