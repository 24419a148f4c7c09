import { createContext, useContext, useEffect, useMemo, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { useRouter } from '@tanstack/react-router'

import { loadedPart } from '../components/loaded-part.tsx'
import { useMessages } from '../i18n/language.tsx'
import { useCaller } from '../session/api.tsx'
import { useSession } from '../session/session.tsx'
import { useLeaveQuestion } from './leave-question.tsx'
import { screens } from './screens.ts'
import { shellMessages } from './shell-messages.ts'

const Palette = loadedPart(async () => (await import('./palette.tsx')).Palette)
const ShortcutSheet = loadedPart(async () => (await import('./shortcut-sheet.tsx')).ShortcutSheet)

export type Window = 'palette' | 'sheet'

const ShortcutsContext = createContext<(window: Window) => void>(() => {})

/** Opens the palette or the list of shortcuts. */
export const useOpenWindow = () => useContext(ShortcutsContext)

/** After `g`, a letter that leads to a screen is waited for this long. */
const letterMs = 1200

/** The keys that work on every screen; they do nothing while someone types or a dialog is open. */
export const Shortcuts = ({ children }: { children: ReactNode }) => {
  const router = useRouter()
  const text = useMessages(shellMessages)
  const { may } = useCaller()
  const { signOut } = useSession()
  const { ask, question } = useLeaveQuestion()
  const [shown, setShown] = useState<Window | null>(null)
  const goUntil = useRef(0)

  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        return setShown('palette')
      }
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isBusy(event)) return
      if (event.key === '?') {
        event.preventDefault()
        return setShown('sheet')
      }
      const isGoing = event.timeStamp < goUntil.current
      goUntil.current = event.key === 'g' ? event.timeStamp + letterMs : 0
      if (!isGoing) return
      const targets = screens.filter(
        ({ label, permission }) =>
          may(permission) && text(label).toLowerCase().startsWith(event.key.toLowerCase()),
      )
      // From one of several screens with this letter it leads to the next.
      const current = targets.findIndex(({ to }) => to === router.state.location.pathname)
      const target = targets[current + 1] ?? targets[0]
      if (target) router.history.push(target.to)
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [router, text, may])

  const close = () => setShown(null)
  return (
    <ShortcutsContext value={useMemo(() => setShown, [])}>
      {children}
      {shown === 'palette' && (
        <Palette
          onClose={close}
          onSheet={() => setShown('sheet')}
          onSignOut={() => ask(() => void signOut())}
          onMissing={close}
        />
      )}
      {shown === 'sheet' && <ShortcutSheet onClose={close} onMissing={close} />}
      {question}
    </ShortcutsContext>
  )
}

const isBusy = ({ target }: KeyboardEvent) =>
  (target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null) ||
  document.querySelector('[aria-modal="true"]') !== null
