import { Alert, Button, Text } from '@mantine/core'
import { useState } from 'react'
import { ApiError } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { Section } from '../../parts/facts.tsx'
import { parseJson } from '../../parts/fields.ts'
import { Answer } from '../../parts/states.tsx'
import { requestTexts } from '../../texts/requests.ts'
import classes from './requests.module.css'

/** The recorded prompt and response, if content logging keeps them. Loaded only when the user asks for them. */
export function ContentPart({ id }: { readonly id: string }) {
  const [isWanted, setWanted] = useState(false)
  return (
    <Section
      title={requestTexts.content}
      actions={
        !isWanted && (
          <Button size="xs" variant="default" onClick={() => setWanted(true)}>
            {requestTexts.showContent}
          </Button>
        )
      }
    >
      {isWanted ? (
        <Content id={id} />
      ) : (
        <Text size="sm" c="dimmed">
          {requestTexts.contentHint}
        </Text>
      )}
    </Section>
  )
}

function Content({ id }: { readonly id: string }) {
  const found = useAnswer('getRequestContent', { path: { id } })
  if (found.error instanceof ApiError && found.error.status === 404)
    return <Text size="sm">{requestTexts.noContent}</Text>
  return (
    <Answer of={found}>
      {({ request, answer, requestCut, answerCut, masked }) => (
        <>
          {(requestCut || answerCut) && (
            <Alert variant="outline" mb="sm">
              {requestTexts.cut}
            </Alert>
          )}
          {masked > 0 && (
            <Text size="sm" c="dimmed">
              {requestTexts.masked(masked)}
            </Text>
          )}
          <Said title={requestTexts.prompt} text={request} />
          <Said title={requestTexts.answer} text={answer} />
        </>
      )}
    </Answer>
  )
}

function Said({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <>
      <Text size="sm" fw={600} mt="sm">
        {title}
      </Text>
      <pre className={classes.content} tabIndex={0}>
        {readable(text)}
      </pre>
    </>
  )
}

/** Formats JSON over several lines; text that was cut off is no longer valid JSON and stays as it is. */
function readable(text: string): string {
  const value = parseJson(text)
  return value === undefined ? text : JSON.stringify(value, null, 2)
}
