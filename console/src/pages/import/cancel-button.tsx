import { useState } from 'react'
import { Button } from '@mantine/core'

import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { useMessages } from '../../i18n/language.tsx'
import { useCaller } from '../../session/api.tsx'
import type { Permission } from '../../session/api.tsx'
import { importMessages } from './messages.ts'

interface CancelButtonProps {
  permission: Permission
  onCancel: () => Promise<unknown>
}

/** Ends an import after asking. */
export const CancelButton = ({ permission, onCancel }: CancelButtonProps) => {
  const text = useMessages(importMessages)
  const { may } = useCaller()
  const [isAsked, setAsked] = useState(false)
  if (!may(permission)) return null
  return (
    <>
      <Button variant="default" onClick={() => setAsked(true)}>
        {text('cancel')}
      </Button>
      {isAsked && (
        <ConfirmDialog
          isDangerous
          title={text('cancelTitle')}
          action={text('cancel')}
          onConfirm={onCancel}
          onClose={() => setAsked(false)}
        >
          {text('cancelText')}
        </ConfirmDialog>
      )}
    </>
  )
}
