import { useState } from 'react'
import { Button } from '@mantine/core'

import { useFailureText } from '../i18n/failure-text.ts'
import { useMessages } from '../i18n/language.tsx'
import { useCaller } from '../session/api.tsx'
import type { Permission } from '../session/api.tsx'
import { componentMessages } from './component-messages.ts'
import { Download } from './icons.tsx'
import { useToast } from './toast.tsx'

interface ExportButtonProps {
  label: string
  permission: Permission
  /** Saves the file. */
  onExport: () => Promise<void>
}

/** Downloads what a screen lists; who may not read that sees why the button does nothing. */
export const ExportButton = ({ label, permission, onExport }: ExportButtonProps) => {
  const text = useMessages(componentMessages)
  const describe = useFailureText()
  const toast = useToast()
  const { may } = useCaller()
  const [isRunning, setRunning] = useState(false)
  const isAllowed = may(permission)
  const run = async () => {
    if (!isAllowed) return
    setRunning(true)
    await onExport().catch((failure: unknown) => toast({ message: describe(failure) }))
    setRunning(false)
  }
  return (
    <Button
      variant="default"
      leftSection={<Download />}
      loading={isRunning}
      {...(!isAllowed && { 'data-disabled': true, 'aria-disabled': true, title: text('mayNotRead') })}
      onClick={() => void run()}
    >
      {label}
    </Button>
  )
}
