import '@mantine/core/styles/NumberInput.css'
import { Button, SegmentedControl, Text, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { ApiError, type Reply } from '../../api/client.ts'
import { useAnswer, useChange } from '../../api/queries.ts'
import { Section } from '../../parts/facts.tsx'
import type { Fields } from '../../parts/fields.ts'
import { Answer, Done, Empty, ErrorMessage } from '../../parts/states.tsx'
import { useRole } from '../../session.ts'
import { routeTexts } from '../../texts/routes.ts'
import { sampleOf } from './explained.tsx'
import { PlanView, Problems } from './plan-view.tsx'
import { parsedModels, renamed, textOf } from './route-draft.ts'
import { RouteForm } from './route-form.tsx'
import classes from './routes.module.css'

type Routes = Reply<'getRoutes'>
type View = keyof typeof routeTexts.views

/** The routes as written, edited in a form or as JSON; changes are planned before they are applied. */
export function RoutesPart() {
  const found = useAnswer('getRoutes')
  // The mutation outlives the editor, which is mounted again with the applied settings.
  const apply = useChange('applyRoutes', ['getRoutes', 'listRoutedModels', 'listAudit'])
  return (
    <>
      <Answer of={found}>
        {(routes) => <Editor key={routes.etag} of={routes} apply={apply} />}
      </Answer>
      <Done>{apply.isSuccess ? routeTexts.applied : undefined}</Done>
    </>
  )
}

/** The edited state: the models, and the typed text in the JSON view. */
interface Draft {
  readonly models: Fields
  readonly text: string
  readonly isBroken: boolean
}

const draftOf = (models: Fields): Draft => ({ models, text: textOf(models), isBroken: false })

interface EditorProps {
  readonly of: Routes
  readonly apply: ReturnType<typeof useChange<'applyRoutes'>>
}

function Editor({ of, apply }: EditorProps) {
  const { models, declared, etag, problems, unpriced, file } = of
  const role = useRole()
  const mayChange = role === 'owner' || role === 'operator'
  const [draft, setDraft] = useState(() => draftOf(models))
  const [view, setView] = useState<View>('form')
  const plan = useChange('planRoutes', [])
  const planned = plan.variables?.body?.models
  const isCurrent =
    plan.data !== undefined && JSON.stringify(planned) === JSON.stringify(draft.models)
  const error = plan.error ?? apply.error
  return (
    <>
      {problems.length > 0 && <Problems of={problems} />}
      {unpriced.length > 0 && <Problems of={unpriced} title={routeTexts.unpriced} />}
      <Section
        title={routeTexts.list}
        actions={
          <SegmentedControl
            aria-label={routeTexts.view}
            size="xs"
            value={view}
            onChange={(chosen) => setView(chosen as View)}
            disabled={draft.isBroken}
            data={Object.entries(routeTexts.views).map(([value, label]) => ({ value, label }))}
          />
        }
      >
        {view === 'form' ? (
          <FormView
            models={draft.models}
            before={models}
            declared={declared}
            error={error}
            mayChange={mayChange}
            onChange={(changed) => setDraft(draftOf(changed))}
          />
        ) : (
          <JsonView draft={draft} mayChange={mayChange} file={file} onChange={setDraft} />
        )}
        {mayChange && (
          <Asking
            models={draft.models}
            before={models}
            isBroken={draft.isBroken}
            isPlanning={plan.isPending}
            isApplying={apply.isPending}
            mayApply={isCurrent && plan.data.changes.length > 0 && !draft.isBroken}
            onPlan={(sample) => {
              apply.reset()
              plan.mutate({
                body: {
                  models: draft.models,
                  ...(sample !== '' && { sample: { request: sampleOf(sample) } }),
                },
              })
            }}
            onApply={() => apply.mutate({ body: { models: draft.models, etag } })}
          />
        )}
      </Section>
      <ErrorMessage of={error?.message} mt="md" />
      {plan.data && isCurrent && <PlanView of={plan.data} />}
    </>
  )
}

interface FormViewProps {
  readonly models: Fields
  /** The models as they are now. */
  readonly before: Fields
  /** The names that sluice.yaml has. */
  readonly declared: readonly string[]
  readonly error: Error | null
  readonly mayChange: boolean
  readonly onChange: (models: Fields) => void
}

function FormView({ models, before, declared, error, mayChange, onChange }: FormViewProps) {
  const names = Object.keys(models)
  const [place, setPlace] = useState(0)
  const name = names[Math.min(place, names.length - 1)]
  const listed = useAnswer('listModels')
  return (
    <div className={classes.layout}>
      <div>
        <ul className={classes.list}>
          {names.map((one, at) => (
            <li key={String(at)}>
              <button type="button" aria-pressed={one === name} onClick={() => setPlace(at)}>
                {one || '…'}
                <Text span size="xs" c="dimmed">
                  {isChanged(models, before, one) && ` ${routeTexts.changed}`}
                  {declared.includes(one) && ` ${routeTexts.declared}`}
                </Text>
              </button>
            </li>
          ))}
        </ul>
        {mayChange && (
          <Button
            variant="default"
            size="xs"
            onClick={() => {
              setPlace(names.length)
              onChange({ ...models, [freshName(names)]: { targets: [{ target: '' }] } })
            }}
          >
            {routeTexts.add}
          </Button>
        )}
      </div>
      <datalist id="targets">
        {listed.data?.data.map(({ id }) => (
          <option key={id} value={id}>
            {id}
          </option>
        ))}
      </datalist>
      {name === undefined ? (
        <Empty title={routeTexts.none}>{routeTexts.noneHint}</Empty>
      ) : (
        <RouteForm
          key={place}
          name={name}
          value={models[name]}
          isTaken={(other) => names.filter((one) => one === other).length > 1}
          problemAt={problemsOf(error, name)}
          isReadOnly={!mayChange || declared.includes(name)}
          {...(declared.includes(name) && { note: routeTexts.declaredHint })}
          onChange={(value) => onChange({ ...models, [name]: value })}
          onRename={(to) => !names.includes(to) && onChange(renamed(models, name, to))}
          onRemove={() => {
            setPlace(Math.max(0, place - 1))
            onChange(Object.fromEntries(Object.entries(models).filter(([one]) => one !== name)))
          }}
        />
      )}
    </div>
  )
}

function isChanged(models: Fields, before: Fields, name: string): boolean {
  return JSON.stringify(models[name]) !== JSON.stringify(before[name])
}

function freshName(names: readonly string[]): string {
  for (let number = 1; ; number++) {
    const name = `${routeTexts.fresh}-${number}`
    if (!names.includes(name)) return name
  }
}

/** Looks up the gateway's error message for a place in this route. */
function problemsOf(error: Error | null, name: string) {
  return (place: string): string | undefined => {
    if (!(error instanceof ApiError) || error.param === undefined) return undefined
    const whole = place === '' ? `models.${name}` : `models.${name}.${place}`
    return error.param === whole ? error.message : undefined
  }
}

interface JsonViewProps {
  readonly draft: Draft
  readonly mayChange: boolean
  readonly file: string
  readonly onChange: (draft: Draft) => void
}

function JsonView({ draft: { models, text, isBroken }, mayChange, file, onChange }: JsonViewProps) {
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm">
        {routeTexts.editHint} {file}
      </Text>
      <Textarea
        className={classes.editor ?? ''}
        aria-label={routeTexts.edit}
        value={text}
        onChange={({ currentTarget: { value } }) => {
          const parsed = parsedModels(value)
          onChange({ models: parsed ?? models, text: value, isBroken: parsed === undefined })
        }}
        autosize
        minRows={8}
        maxRows={24}
        readOnly={!mayChange}
        error={isBroken ? routeTexts.badJson : undefined}
      />
    </>
  )
}

interface AskingProps {
  readonly models: Fields
  /** The models as they are now. */
  readonly before: Fields
  readonly isBroken: boolean
  readonly isPlanning: boolean
  readonly isApplying: boolean
  readonly mayApply: boolean
  readonly onPlan: (sample: string) => void
  readonly onApply: () => void
}

function Asking(props: AskingProps) {
  const { models, before, isBroken, isPlanning, isApplying, mayApply, onPlan, onApply } = props
  const [chosen, setSample] = useState<string>()
  const names = Object.keys(models)
  const changed = names.find(
    (name) => JSON.stringify(models[name]) !== JSON.stringify(before[name]),
  )
  const sample = chosen ?? changed ?? names[0] ?? ''
  return (
    <div className={classes.asked}>
      <TextInput
        label={routeTexts.sample}
        description={routeTexts.sampleHint}
        list="targets"
        value={sample}
        onChange={({ currentTarget: { value } }) => setSample(value)}
      />
      <Button disabled={isBroken} loading={isPlanning} onClick={() => onPlan(sample)}>
        {routeTexts.plan}
      </Button>
      <Button variant="default" disabled={!mayApply} loading={isApplying} onClick={onApply}>
        {routeTexts.apply}
      </Button>
      <Text size="sm" c="dimmed">
        {routeTexts.planHint}
      </Text>
    </div>
  )
}
