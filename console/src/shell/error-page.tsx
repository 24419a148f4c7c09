import { Button } from '@mantine/core'
import { Problem } from '@vacancy/client'

import { EmptyState } from '../components/empty-state.tsx'
import { isMissingModule, reloadIfReachable } from '../components/missing-module.ts'
import { useFailureText } from '../i18n/failure-text.ts'
import { useMessages } from '../i18n/language.tsx'
import { shellMessages } from './shell-messages.ts'

/** Replaces a screen that threw while it was drawn; the navigation around it keeps working. */
export const ErrorPage = ({ error, reset }: { error: unknown; reset: () => void }) => {
  const text = useMessages(shellMessages)
  const describe = useFailureText()
  const requestId = error instanceof Problem && error.status < 500 ? error.requestId : null
  return (
    <EmptyState
      isPage
      tone="bad"
      title={text('errorTitle')}
      action={
        <Button onClick={isMissingModule(error) ? reloadIfReachable : reset}>{text('tryAgain')}</Button>
      }
    >
      {describe(error)}
      {requestId && <> {text('requestId', { id: requestId })}</>}
    </EmptyState>
  )
}
