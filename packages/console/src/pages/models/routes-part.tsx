import { Alert, Button, Text, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Reply } from '../../api/client.ts'
import { useAnswer, useChange } from '../../api/queries.ts'
import { Section } from '../../parts/facts.tsx'
import { Answer } from '../../parts/states.tsx'
import { useRole } from '../../session.ts'
import { modelTexts } from '../../texts/operation.ts'
import { Explained, type Explanation, sampleOf } from './explained.tsx'
import classes from './models.module.css'

type Routes = Reply<'getRoutes'>
type Plan = Reply<'planRoutes'>
type Written = Readonly<Record<string, unknown>>

/** Routes as they are written; what is changed is planned before it is applied. */
export function RoutesPart() {
  const found = useAnswer('getRoutes')
  return <Answer of={found}>{(routes) => <Editor key={routes.etag} of={routes} />}</Answer>
}

function Editor({ of: { models, etag, problems, file } }: { readonly of: Routes }) {
  const role = useRole()
  const mayChange = role === 'owner' || role === 'operator'
  const [text, setText] = useState(JSON.stringify(models, null, 2))
  const [sample, setSample] = useState(Object.keys(models)[0] ?? '')
  const plan = useChange('planRoutes', [])
  const apply = useChange('applyRoutes', ['getRoutes', 'listRoutedModels', 'listAudit'])
  const written = parsed(text)
  const isCurrent =
    plan.data !== undefined &&
    JSON.stringify(plan.variables?.body?.models) === JSON.stringify(written)
  function makePlan(): void {
    if (!written) return
    plan.mutate({
      body: { models: written, ...(sample !== '' && { sample: { request: sampleOf(sample) } }) },
    })
  }
  return (
    <>
      {problems.length > 0 && <Problems of={problems} />}
      <Section title={modelTexts.edit}>
        <Text size="sm" c="dimmed" mb="sm">
          {modelTexts.editHint} {file}
        </Text>
        <Textarea
          className={classes.editor ?? ''}
          aria-label={modelTexts.edit}
          value={text}
          onChange={({ currentTarget: { value } }) => setText(value)}
          autosize
          minRows={8}
          maxRows={24}
          readOnly={!mayChange}
          error={written ? undefined : modelTexts.badJson}
        />
        {mayChange && (
          <>
            <TextInput
              label={modelTexts.sample}
              value={sample}
              onChange={({ currentTarget: { value } }) => setSample(value)}
              mt="sm"
              maw="24rem"
            />
            <div className={classes.buttons}>
              <Button disabled={!written} loading={plan.isPending} onClick={makePlan}>
                {modelTexts.plan}
              </Button>
              <Button
                variant="default"
                disabled={!isCurrent || plan.data?.isWritable !== true || !plan.data.changes.length}
                loading={apply.isPending}
                onClick={() => apply.mutate({ body: { models: written ?? {}, etag } })}
              >
                {modelTexts.apply}
              </Button>
            </div>
          </>
        )}
      </Section>
      <Failed error={plan.error ?? apply.error} />
      {plan.data && isCurrent && <Planned of={plan.data} />}
    </>
  )
}

function Failed({ error }: { readonly error: Error | null }) {
  if (!error) return null
  return (
    <Alert color="red" mt="md" role="alert">
      {error.message}
    </Alert>
  )
}

function parsed(text: string): Written | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Written)
      : undefined
  } catch {
    return undefined
  }
}

function Problems({ of }: { readonly of: Routes['problems'] }) {
  return (
    <Alert color="orange" title={modelTexts.problems} mt="md">
      {of.map(({ model, problem }) => (
        <div key={model}>
          {model}: {problem}
        </div>
      ))}
    </Alert>
  )
}

function Planned({
  of: { changes, problems, isWritable, yaml, before, after },
}: {
  readonly of: Plan
}) {
  return (
    <Section title={modelTexts.would}>
      {changes.length === 0 && <Text size="sm">{modelTexts.noChanges}</Text>}
      {changes.map((change) => (
        <div key={change.model}>
          <Text fw={600} mt="sm">
            {modelTexts.changes[change.change]}: {change.model}
          </Text>
          <div className={classes.sides}>
            <Side title={modelTexts.before} value={change.before} />
            <Side title={modelTexts.after} value={change.after} />
          </div>
        </div>
      ))}
      {problems.length > 0 && <Problems of={problems} />}
      {!isWritable && changes.length > 0 && (
        <>
          <Text size="sm" mt="md">
            {modelTexts.readOnly}
          </Text>
          <pre className={classes.pre} tabIndex={0}>
            {yaml}
          </pre>
        </>
      )}
      {before && after && (
        <div className={classes.sides}>
          <div>
            <Text fw={600} mt="md">
              {modelTexts.before}
            </Text>
            <Explained of={before as Explanation} label={modelTexts.before} />
          </div>
          <div>
            <Text fw={600} mt="md">
              {modelTexts.after}
            </Text>
            <Explained of={after as Explanation} label={modelTexts.after} />
          </div>
        </div>
      )}
    </Section>
  )
}

function Side({ title, value }: { readonly title: string; readonly value: unknown }) {
  return (
    <div>
      <Text size="sm" c="dimmed">
        {title}
      </Text>
      <pre className={classes.pre} tabIndex={0}>
        {value === null ? '–' : JSON.stringify(value, null, 2)}
      </pre>
    </div>
  )
}
