import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'

import { EmptyState } from '../components/empty-state.tsx'
import { useMessages } from '../i18n/language.tsx'
import { shellMessages } from './shell-messages.ts'

/** The page of an address that no screen has. */
export const NotFound = () => {
  const text = useMessages(shellMessages)
  return (
    <>
      <title>{`${text('notFoundTitle')} · Vacancy`}</title>
      <EmptyState
        isPage
        title={text('notFoundTitle')}
        action={
          <Button component={Link} to="/" variant="default">
            {text('backHome')}
          </Button>
        }
      >
        {text('notFoundText')}
      </EmptyState>
    </>
  )
}
