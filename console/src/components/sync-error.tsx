import { useLanguage, useMessages } from '../i18n/language.tsx'
import { syncErrorMessages } from '../i18n/sync-error-messages.ts'

interface SyncErrorProps {
  code: string | null
  /** The words of the API or of the PMS, which are English or its own. */
  message: string | null
  /** The name of the channel. */
  target: string
}

/** Why a sync failed: the message, which says more than its code; in another language than English, what the code means. */
export const SyncError = ({ code, message, target }: SyncErrorProps) => {
  const { language } = useLanguage()
  const text = useMessages(syncErrorMessages)
  if (language === 'en' && message) return message
  return (
    <>
      {isKnown(code) && `${text(code, { target })}. `}
      {message && <Quoted>{message}</Quoted>}
    </>
  )
}

const isKnown = (code: string | null): code is keyof (typeof syncErrorMessages)['en'] =>
  code !== null && code in syncErrorMessages.en

/** What the API or a PMS said, in its own words: between quotation marks when the page is in another language. */
export const Quoted = ({ children }: { children: string }) =>
  useLanguage().language === 'en' ? children : <q lang="en">{children}</q>
