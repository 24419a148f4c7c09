import { Button } from '@mantine/core'

import { Message } from './message.tsx'

export const Missing = () => (
  <main style={{ padding: 'var(--gutter)' }}>
    <Message
      title="There is nothing at this address"
      action={
        <Button component="a" href="/" variant="default">
          To the portfolio
        </Button>
      }
    >
      It may have been removed, or the link was cut short.
    </Message>
  </main>
)
