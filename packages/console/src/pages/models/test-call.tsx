import { Button, Text } from '@mantine/core'
import { useChange } from '../../api/queries.ts'
import { formatMicroUsd, formatMs } from '../../parts/formats.ts'
import { modelTexts } from '../../texts/operation.ts'
import classes from './models.module.css'

interface TestCallProps {
  readonly provider: string
  /** The provider's name for the model; default: the first known model of the provider. */
  readonly model?: string
  /** The name of what is tested, for screen readers. */
  readonly name: string
}

/** Makes a small chat call, which is recorded and billed like any other, and shows its result. */
export function TestCall({ provider, model, name }: TestCallProps) {
  const test = useChange('testProvider', ['listProviders'])
  return (
    <div className={classes.test}>
      <Button
        size="compact-xs"
        variant="default"
        loading={test.isPending}
        aria-label={`${modelTexts.test}: ${name}`}
        onClick={() =>
          test.mutate({ path: { id: provider }, body: model === undefined ? {} : { model } })
        }
      >
        {modelTexts.test}
      </Button>
      <output>
        {test.data && (
          <Text size="xs" {...(!test.data.ok && { c: 'var(--mantine-color-error)' })}>
            {test.data.ok ? modelTexts.works : (test.data.message ?? modelTexts.fails)},{' '}
            {formatMs(test.data.durationMs)}, {formatMicroUsd(test.data.costMicroUsd)}
          </Text>
        )}
        {test.error && (
          <Text size="xs" c="var(--mantine-color-error)">
            {test.error.message}
          </Text>
        )}
      </output>
    </div>
  )
}
