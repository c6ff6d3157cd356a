import { Anchor, Button, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useChange } from '../api/queries.ts'
import icon from './icon.svg'
import { texts } from '../texts/texts.ts'
import { SchemeButton } from './scheme-button.tsx'
import classes from './sign-in.module.css'

/** Takes a key, for which the gateway gives this browser a session. */
export function SignIn() {
  const [key, setKey] = useState('')
  const client = useQueryClient()
  const signIn = useChange('signIn', ['getSession'])
  const { error, isPending } = signIn
  function submit(event: FormEvent): void {
    event.preventDefault()
    client.removeQueries({ predicate: ({ queryKey: [id] }) => id !== 'getSession' })
    signIn.mutate({ body: { key } }, { onSettled: () => setKey('') })
  }
  return (
    <main className={classes.page}>
      <form className={classes.card} onSubmit={submit}>
        <Stack gap="md">
          <div className={classes.brand}>
            <img src={icon} alt="" width={40} height={40} />
            <div>
              <Title order={1} size="h2">
                {texts.product}
              </Title>
              <Text c="dimmed">{texts.signIn.lead}</Text>
            </div>
          </div>
          <PasswordInput
            label={texts.signIn.key}
            description={texts.signIn.keyHint}
            value={key}
            onChange={(event) => setKey(event.currentTarget.value)}
            error={error?.message}
            autoComplete="current-password"
            visibilityToggleButtonProps={{ 'aria-label': texts.signIn.show, tabIndex: 0 }}
            required
            withAsterisk={false}
            autoFocus
          />
          <Button type="submit" loading={isPending}>
            {texts.signIn.submit}
          </Button>
          <div className={classes.foot}>
            <Anchor href="docs" underline="always">
              {texts.reference}
            </Anchor>
            <SchemeButton />
          </div>
        </Stack>
      </form>
    </main>
  )
}
