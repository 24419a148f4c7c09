import { useMessages } from '../../i18n/language.tsx'
import { causeMessages } from '../inbox/cause-messages.ts'
import { failureMessages } from './failure-messages.ts'
import type { Import } from './use-import.ts'

const hints = {
  auth_rejected: 'settings',
  mapping_not_found: 'missing',
  validation_rejected: 'refused',
  conflict: 'refused',
  partial_rejection: 'refused',
  rate_limited: 'later',
  timeout: 'later',
  network: 'later',
  pms_unavailable: 'later',
  circuit_open: 'later',
  internal: 'support',
} as const satisfies Record<NonNullable<Import['error_code']>, string>

/** Why an import has stopped, and what helps. The message of the API says more, but only in English. */
export const ImportFailure = ({ current, name }: { current: Import; name: string }) => {
  const causes = useMessages(causeMessages)
  const text = useMessages(failureMessages)
  const { error_code: code, error_message: message } = current
  return (
    <>
      {code && (
        <p>
          <strong>{causes(code, { target: name })}.</strong> {text(hints[code])}
        </p>
      )}
      {message && <p lang="en">{message}</p>}
    </>
  )
}
