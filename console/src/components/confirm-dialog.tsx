import { lazy, Suspense } from 'react'

import type { ConfirmDialogProps } from './confirm-form.tsx'

const ConfirmForm = lazy(async () => ({ default: (await import('./confirm-form.tsx')).ConfirmForm }))

/**
 * Asks before something is done that is hard to take back. Rendered only while it is open, and loaded when the first
 * one is opened.
 */
export const ConfirmDialog = (props: ConfirmDialogProps) => (
  <Suspense fallback={null}>
    <ConfirmForm {...props} />
  </Suspense>
)
