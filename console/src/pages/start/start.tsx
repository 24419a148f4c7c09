import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { listChannelTargets } from '@vacancy/client'

import { ButtonLink } from '../../components/button-link.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Check } from '../../components/icons.tsx'
import { Page } from '../../components/page.tsx'
import { TableSkeleton } from '../../components/table-skeleton.tsx'
import { screenLink } from '../../components/screen-link.ts'
import { useRecords } from '../../components/use-records.ts'
import { useFailureText } from '../../i18n/failure-text.ts'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useToday } from '../../live/today.ts'
import type { Today } from '../../live/today.ts'
import { useCaller } from '../../session/api.tsx'
import { startMessages } from './messages.ts'
import { addressOf, countDone, isDone, missingBefore, permissions, steps } from './steps.ts'
import type { Step } from './steps.ts'
import styles from './start.module.css'

/** What an organization does before it sells, each step with its screen; a step is ticked as soon as it is done. */
export const Start = () => {
  const text = useMessages(startMessages)
  const describe = useFailureText()
  const { data: today, error, refetch } = useToday()
  const channelId = useRecords(listChannelTargets, { query: { sort: 'created_at', limit: 1 } }).records?.[0]
    ?.id
  const setup = today?.setup
  const done = setup ? countDone(setup) : 0
  const isFinished = done === steps.length
  return (
    <Page
      title={text('title')}
      width="narrow"
      summary={setup && text('progress', { done, count: steps.length })}
      actions={
        isFinished && (
          <ButtonLink to="/" variant="default">
            {text('toToday')}
          </ButtonLink>
        )
      }
    >
      {error && !today ? (
        <EmptyState
          tone="bad"
          title={text('loadFailed')}
          action={<Button onClick={() => void refetch()}>{text('tryAgain')}</Button>}
        >
          {describe(error)}
        </EmptyState>
      ) : !setup ? (
        <TableSkeleton rows={4} />
      ) : (
        <>
          {isFinished && <p className={styles.finished}>{text('finished')}</p>}
          <ol className={styles.steps} aria-label={text('steps')}>
            {steps.map((step) => (
              <StepItem key={step} step={step} setup={setup} channelId={channelId} />
            ))}
          </ol>
        </>
      )}
    </Page>
  )
}

interface StepItemProps {
  step: Step
  setup: Today['setup']
  channelId: string | undefined
}

const StepItem = ({ step, setup, channelId }: StepItemProps) => {
  const text = useMessages(startMessages)
  const format = useFormat()
  const { may } = useCaller()
  const done = isDone(setup, step)
  const missing = missingBefore(setup, step)
  const isNext = steps.find((one) => !isDone(setup, one)) === step
  const mayDo = may(permissions[step])
  const target = addressOf(step, channelId, done)
  return (
    <li className={styles.step} data-step={step} data-done={done} aria-current={isNext ? 'step' : undefined}>
      <span className={styles.mark} aria-hidden="true">
        {done ? <Check /> : format.number(steps.indexOf(step) + 1)}
      </span>
      <div className={styles.words}>
        <h2 className={styles.title}>
          {text(step)}
          {done && <span className="unseen">: {text('done')}</span>}
        </h2>
        {!done && <p className={styles.text}>{text(`${step}Text`)}</p>}
        {!done && step === 'units' && (
          <Link to="/import" search={{}} className={styles.show}>
            {text('unitsImport')}
          </Link>
        )}
      </div>
      {done ? (
        <Link {...screenLink(target)} className={styles.show} aria-label={text('open', { step: text(step) })}>
          {text('show')}
        </Link>
      ) : missing ? (
        <span className={styles.waits}>{text('waitsFor', { step: text(missing) })}</span>
      ) : (
        <Button
          variant={isNext ? 'filled' : 'default'}
          disabled={!mayDo}
          title={mayDo ? undefined : text('noPermission')}
          renderRoot={(props) => <Link {...screenLink(target)} {...props} />}
        >
          {text(`${step}Action`)}
        </Button>
      )}
    </li>
  )
}
