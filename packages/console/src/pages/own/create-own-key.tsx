import { Alert, Button, Group, Stack, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { BudgetFields } from '../../parts/terms/budget-fields.tsx'
import { termsOf, type TermsValues, valuesOf } from '../../parts/terms/values.ts'
import { keyTexts } from '../../texts/keys.ts'
import { termTexts } from '../../texts/terms.ts'
import { texts } from '../../texts/texts.ts'
import { SecretOnce } from '../keys/secret-once.tsx'

interface CreateOwnKeyProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Makes a key of the user, and shows its secret this once. What bounds the user and the team bounds it as well. */
export function CreateOwnKey({ isOpen, onClose }: CreateOwnKeyProps) {
  const create = useChange('createOwnKey', ['listOwnKeys', 'getOwnUsage'])
  const secret = create.data?.secret
  function close(): void {
    create.reset()
    onClose()
  }
  return (
    <Dialog
      title={secret === undefined ? keyTexts.create : keyTexts.secretTitle}
      isOpen={isOpen}
      onClose={close}
      size="lg"
    >
      {secret === undefined ? (
        <OwnKeyForm
          isPending={create.isPending}
          error={create.error}
          onSubmit={(values) => create.mutate({ body: termsOf(values) })}
          onCancel={close}
        />
      ) : (
        <SecretOnce secret={secret} onDone={close} />
      )}
    </Dialog>
  )
}

interface OwnKeyFormProps {
  readonly isPending: boolean
  readonly error: Error | null
  readonly onSubmit: (values: TermsValues) => void
  readonly onCancel: () => void
}

function OwnKeyForm({ isPending, error, onSubmit, onCancel }: OwnKeyFormProps) {
  const [values, setValues] = useState(valuesOf())
  const set = (field: 'name' | 'expires' | 'models', value: string) =>
    setValues({ ...values, [field]: value })
  function submit(event: FormEvent): void {
    event.preventDefault()
    onSubmit(values)
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={termTexts.name}
          value={values.name}
          onChange={(event) => set('name', event.currentTarget.value)}
          maxLength={200}
          required
          withAsterisk={false}
          data-autofocus
        />
        <BudgetFields
          budgets={values.budgets}
          onChange={(budgets) => setValues({ ...values, budgets })}
          error={undefined}
        />
        <TextInput
          type="date"
          label={termTexts.expires}
          description={termTexts.unlimited}
          value={values.expires}
          onChange={(event) => set('expires', event.currentTarget.value)}
        />
        <Textarea
          label={termTexts.models}
          description={termTexts.modelsHint}
          value={values.models}
          onChange={(event) => set('models', event.currentTarget.value)}
          rows={2}
        />
        {error && (
          <Alert color="red" variant="outline" role="alert">
            {error.message}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {texts.cancel}
          </Button>
          <Button type="submit" loading={isPending}>
            {keyTexts.create}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
