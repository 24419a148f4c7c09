import { Modal } from '@mantine/core'
import type { ModalRootProps } from '@mantine/core'

import { useReturnFocus } from './return-focus.ts'
import { useEscape } from './use-escape.ts'

/** A dialog that is open for as long as it is there: Escape closes it when it is the topmost, and the focus returns. */
export const DialogRoot = ({ closeOnEscape = true, onClose, ...props }: Omit<ModalRootProps, 'opened'>) => {
  useReturnFocus()
  useEscape(() => closeOnEscape && onClose())
  return (
    <Modal.Root
      transitionProps={{ duration: 120 }}
      {...props}
      opened
      onClose={onClose}
      closeOnEscape={false}
    />
  )
}
