import { useState } from 'react'
import { Button } from '@mantine/core'
import type { ReactNode } from 'react'

import { isFirstClick } from './first-click.ts'

interface ActionButtonProps {
  /** Why the person may not do this; the button stays reachable and says so. */
  refusal?: string | null
  loading?: boolean
  variant?: 'default' | 'filled'
  size?: 'compact-sm' | 'sm'
  label?: string
  /** Until what it returns has settled, the button does nothing more. */
  onClick: () => unknown
  children: ReactNode
}

/** A button that is disabled with a reason for people whose role does not allow it, and shows that its action runs. */
export const ActionButton = (props: ActionButtonProps) => {
  const {
    refusal,
    loading = false,
    variant = 'default',
    size = 'compact-sm',
    label,
    onClick,
    children,
  } = props
  const [isRunning, setRunning] = useState(false)
  const run = async () => {
    setRunning(true)
    await onClick()
    setRunning(false)
  }
  return (
    <Button
      size={size}
      variant={variant}
      loading={loading || isRunning}
      aria-label={label}
      {...(refusal && { 'data-disabled': true, 'aria-disabled': true, title: refusal })}
      onClick={(click) => !refusal && isFirstClick(click) && void run()}
    >
      {children}
    </Button>
  )
}
