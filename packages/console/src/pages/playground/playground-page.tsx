import { useState } from 'react'
import { Choice } from '../../parts/choice.tsx'
import { Page } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { playgroundTexts } from '../../texts/playground.ts'
import { texts } from '../../texts/texts.ts'
import { gatewayAddress } from '../keys/gateway-address.ts'
import { Answered } from './answered.tsx'
import { AskForm } from './ask-form.tsx'
import { type OperationName, operations } from './operations.ts'
import classes from './playground.module.css'
import { useRuns } from './use-runs.ts'

/** Sends a request to any model, or to two or three side by side. */
export function PlaygroundPage() {
  const [name, setName] = useState<OperationName>('chat')
  const { runs, file, mask, send, goOn, stop, clear } = useRuns()
  const isRunning = runs.some(({ turns }) => turns.some(({ outcome }) => outcome.isRunning))
  return (
    <Page
      title={texts.pages.playground}
      actions={
        <Choice
          aria-label={playgroundTexts.operation}
          value={name}
          of={playgroundTexts.operations}
          onChange={(chosen) => {
            stop()
            clear()
            setName(chosen)
          }}
        />
      }
    >
      <AskForm key={name} name={name} isRunning={isRunning} onSend={send} onStop={stop} />
      <div className={classes.answers} aria-live="polite" aria-busy={isRunning}>
        {runs.length === 0 && (
          <div className={classes.nothing}>
            <Empty title={playgroundTexts.nothing}>{playgroundTexts.nothingHint}</Empty>
          </div>
        )}
        {runs.map((run, place) => (
          <Answered
            key={`${run.model} ${String(place)}`}
            of={run}
            code={{
              operation: name,
              address: gatewayAddress(),
              path: operations[name].path,
              ...(file && { file: { name: file.name, type: file.type } }),
              ...(mask && { mask: { name: mask.name, type: mask.type } }),
            }}
            onNext={(next) => void goOn(place, next)}
          />
        ))}
      </div>
    </Page>
  )
}
