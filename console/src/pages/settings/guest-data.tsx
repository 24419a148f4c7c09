import { useEffect, useRef, useState } from 'react'
import type { FormEvent } from 'react'
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { createGuestErasure, createGuestExport, listGuestErasures } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { componentMessages } from '../../components/component-messages.ts'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { InvalidFields } from '../../components/invalid-fields.ts'
import { fieldFaults, ProblemNote } from '../../components/problem-note.tsx'
import { saveFile } from '../../components/save-file.ts'
import { Section } from '../../components/section.tsx'
import { useToast } from '../../components/toast.tsx'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller, useSendOnce } from '../../session/api.tsx'
import type { Permission } from '../../session/api.tsx'
import { GuestErasures } from './guest-erasures.tsx'
import { guestMessages } from './guest-messages.ts'
import form from '../../components/form.module.css'
import { useFailure } from '../../components/use-failure.ts'
import styles from './settings.module.css'

const kinds = ['email', 'phone', 'booking_id'] as const satisfies (keyof contract.GuestSubject)[]
type Kind = (typeof kinds)[number]
const fieldTypes = { email: 'email', phone: 'tel', booking_id: 'text' } as const

/** The data of a guest: all of it as a file, its erasure, and the erasures so far. */
export const GuestData = () => {
  const text = useMessages(guestMessages)
  const common = useMessages(componentMessages)
  const api = useApi()
  const sendOnce = useSendOnce()
  const toast = useToast()
  const queries = useQueryClient()
  const { may } = useCaller()
  const field = useRef<HTMLInputElement>(null)
  const [kind, setKind] = useState<Kind>('email')
  const [typed, setTyped] = useState('')
  const [failure, setFailure] = useFailure()
  const [isExporting, setExporting] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const fault = fieldFaults(failure)[kind]
  useEffect(() => {
    if (fault) field.current?.focus()
  }, [failure])

  const value = typed.trim()
  const body: contract.GuestSubject = { [kind]: value }
  const assertFilledIn = () => {
    if (!value) throw new InvalidFields({ [kind]: common('fillIn') })
  }
  const forbid = (permission: Permission) => !may(permission) && { disabled: true, title: text('mayNot') }

  const saveExport = async (event: FormEvent) => {
    event.preventDefault()
    setFailure(null)
    setExporting(true)
    try {
      assertFilledIn()
      const { guest_export: file } = await api.send(createGuestExport, { body })
      const name = `guest-${file.created_at.slice(0, 10)}.json`
      saveFile(new Blob([JSON.stringify(file, null, 2)], { type: 'application/json' }), name)
      const count = file.bookings.length
      toast({ message: file.is_complete ? text('exported', { count }) : text('incomplete') })
    } catch (cause) {
      setFailure(cause)
    }
    setExporting(false)
  }
  const ask = () => {
    setFailure(null)
    try {
      assertFilledIn()
      setAsking(true)
    } catch (cause) {
      setFailure(cause)
    }
  }
  const erase = async () => {
    await sendOnce(createGuestErasure, { body })
    // Another guest may have been typed meanwhile.
    setTyped((now) => (now === typed ? '' : now))
    toast({ message: text('begun') })
    await queries.invalidateQueries({ queryKey: [listGuestErasures.path] })
  }
  return (
    <>
      <Section title={text('title')}>
        <p className={styles.quiet}>{text('text')}</p>
        <form noValidate onSubmit={(event) => void saveExport(event)}>
          <div className={form.form}>
            <NativeSelect
              label={text('kind')}
              description={text('kindHint')}
              value={kind}
              data={kinds.map((one) => ({ value: one, label: text(one) }))}
              onChange={(event) => {
                setKind(event.currentTarget.value as Kind)
                setFailure(null)
              }}
            />
            <TextInput
              ref={field}
              type={fieldTypes[kind]}
              label={text(kind)}
              description={text(`${kind}Hint`)}
              error={fault}
              autoComplete="off"
              maxLength={254}
              value={typed}
              onChange={(event) => {
                setTyped(event.currentTarget.value)
                setFailure(null)
              }}
            />
          </div>
          <ProblemNote failure={failure} fields={[kind]} />
          <div className={form.buttons}>
            <Button type="submit" loading={isExporting} {...forbid('guests:read')}>
              {text('export')}
            </Button>
            <Button variant="default" onClick={ask} {...forbid('guests:write')}>
              {text('erase')}
            </Button>
          </div>
        </form>
      </Section>
      <GuestErasures />
      {isAsking && (
        <ConfirmDialog
          isDangerous
          title={text('eraseTitle')}
          action={text('eraseAction')}
          typed={text('word')}
          onConfirm={erase}
          onClose={() => setAsking(false)}
        >
          <p>
            {text(kind)}: <strong>{value}</strong>
          </p>
          <p>{text('eraseText')}</p>
          <p>
            <strong>{text('cannotUndo')}</strong> {text('notReached')}
          </p>
        </ConfirmDialog>
      )}
    </>
  )
}
