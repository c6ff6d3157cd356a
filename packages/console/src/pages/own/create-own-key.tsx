import { useChange } from '../../api/queries.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { TermsForm } from '../../parts/terms/terms-form.tsx'
import { termsOf, valuesOf } from '../../parts/terms/values.ts'
import { keyTexts } from '../../texts/keys.ts'
import { SecretOnce } from '../keys/secret-once.tsx'

interface CreateOwnKeyProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Creates a key of the user, and shows its secret once. The limits of the user and the team also apply to it. */
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
        <TermsForm
          initial={valuesOf()}
          action={keyTexts.create}
          isOfUser
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
