import { Button } from '@mantine/core'

import { Message } from '../../parts/message.tsx'

/** Shown when the page itself was served but the service behind it does not answer. */
export const StartFailure = ({ failure }: { failure: unknown }) => (
  <main style={{ maxWidth: 560, margin: '18vh auto 0', padding: 'var(--gutter)' }}>
    <Message
      tone="bad"
      title="Vacancy cannot start"
      action={<Button onClick={() => location.reload()}>Try again</Button>}
    >
      {failure instanceof Error ? failure.message : String(failure)}
    </Message>
  </main>
)
