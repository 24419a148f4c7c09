import { useEffect, useRef, useState } from 'react'
import type { FormEvent, ReactNode } from 'react'
import { Button, Modal, TextInput } from '@mantine/core'

import { useMessages } from '../i18n/language.tsx'
import { componentMessages } from './component-messages.ts'
import { DialogRoot } from './dialog-root.tsx'
import { useFocusAgain } from './focus-again.ts'
import { useFocusInvalid } from './focus-invalid.ts'
import { ProblemNote } from './problem-note.tsx'
import { useToast } from './toast.tsx'
import { UnsavedChanges } from './unsaved-changes.tsx'
import { useIsShown } from './use-is-shown.ts'
import styles from './confirm-dialog.module.css'
import { useFailure } from './use-failure.ts'

export interface ConfirmDialogProps {
  title: string
  /** What the button does, as a verb: `Stop all sales`. */
  action: string
  /** What the other button does, where “Cancel” could be taken for the action. */
  dismissal?: string
  /** The word that has to be typed before the button works. */
  typed?: string
  isDangerous?: boolean
  /** Whether the fields of the dialog are filled in. */
  isReady?: boolean
  /** Whether only its buttons close it, because what it shows cannot be shown again. */
  staysOpen?: boolean
  /** The dialog closes when this succeeds, and shows the problem when it fails. */
  onConfirm: () => Promise<unknown>
  onClose: () => void
  /** Shown in place of the problem, for refusals that a person can act on. */
  explain?: (failure: unknown) => ReactNode
  /** The fields that show their own fault. */
  fields?: readonly string[]
  /** What will happen, and fields to fill in. */
  children?: ReactNode
}

/** The content of a ConfirmDialog. */
export const ConfirmForm = ({
  title,
  action,
  dismissal,
  typed,
  isDangerous = false,
  isReady = true,
  staysOpen = false,
  onConfirm,
  onClose,
  explain,
  fields = [],
  children,
}: ConfirmDialogProps) => {
  const text = useMessages(componentMessages)
  const [word, setWord] = useState('')
  const [failure, setFailure] = useFailure()
  const [isWaiting, setWaiting] = useState(false)
  const [isDirty, setDirty] = useState(false)
  const canConfirm = isReady && (typed === undefined || word.trim().toLowerCase() === typed.toLowerCase())
  // Closed while the action runs: another dialog may be open when it ends.
  const isOpen = useIsShown()
  const isClosing = useClosedNotice()
  const focusAgain = useFocusAgain(isWaiting)
  const element = useFocusInvalid(failure)

  const close = () => {
    isClosing.current = true
    onClose()
  }
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    // React passes it on to a form that the dialog is rendered in.
    event.stopPropagation()
    if (!canConfirm || isWaiting) return
    // The action would use what was in the field before.
    const inputs = [...event.currentTarget.querySelectorAll('input')]
    const unreadable = inputs.find(({ validity }) => validity.badInput)
    if (unreadable) return void unreadable.reportValidity()
    isClosing.current = true
    setWaiting(true)
    setFailure(null)
    try {
      await onConfirm()
      if (isOpen.current) onClose()
    } catch (cause) {
      isClosing.current = false
      setFailure(cause)
      setWaiting(false)
    }
  }

  const explanation = failure ? explain?.(failure) : null

  return (
    <DialogRoot
      onClose={close}
      // What was typed is not lost by a press beside the dialog.
      closeOnClickOutside={!staysOpen && !isDirty}
      closeOnEscape={!staysOpen}
      centered
      size="md"
    >
      <Modal.Overlay backgroundOpacity={0.25} />
      <Modal.Content>
        <Modal.Body className={styles.body}>
          <form ref={element} noValidate {...focusAgain} onSubmit={(event) => void submit(event)}>
            <Modal.Title className={styles.title}>{title}</Modal.Title>
            <UnsavedChanges isDirty={isDirty && !isWaiting} />
            {children && (
              <fieldset
                className={styles.text}
                // What was typed now would not be sent, and be gone when the dialog closes.
                disabled={isWaiting}
                onChange={() => setDirty(true)}
              >
                {children}
              </fieldset>
            )}
            {typed !== undefined && (
              <TextInput
                data-autofocus
                className={styles.typed}
                label={text('typeToConfirm', { word: typed })}
                autoComplete="off"
                value={word}
                onChange={(event) => setWord(event.currentTarget.value)}
              />
            )}
            {explanation ? (
              <div className={styles.text}>{explanation}</div>
            ) : (
              <ProblemNote failure={failure} fields={fields} />
            )}
            <div className={styles.buttons}>
              <Button variant="default" onClick={close}>
                {dismissal ?? text('cancel')}
              </Button>
              <Button
                type="submit"
                className={isDangerous ? styles.danger : ''}
                disabled={!canConfirm}
                loading={isWaiting}
                // A disabled button takes no focus: the first field has it then.
                {...(typed === undefined && canConfirm && { 'data-autofocus': true })}
              >
                {action}
              </Button>
            </div>
          </form>
        </Modal.Body>
      </Modal.Content>
    </DialogRoot>
  )
}

/**
 * A dialog goes with what it is about, such as a booking conflict that a colleague closes, and what was typed in it is
 * gone: a toast says so, unless the dialog closes itself or the screen is left.
 */
const useClosedNotice = () => {
  const text = useMessages(componentMessages)
  const toast = useToast()
  const isClosing = useRef(false)
  useEffect(() => {
    const { href } = location
    return () => {
      if (!isClosing.current && location.href === href) toast({ message: text('settledMeanwhile') })
    }
  }, [])
  return isClosing
}
