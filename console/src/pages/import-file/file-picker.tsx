import { useRef, useState } from 'react'
import type { DragEvent } from 'react'
import { useRouter } from '@tanstack/react-router'

import { ActionButton } from '../../components/action-button.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { useFailure } from '../../components/use-failure.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useCaller } from '../../session/api.tsx'
import { fileMessages } from './messages.ts'
import styles from './import-file.module.css'

interface FilePickerProps {
  label: string
  variant?: 'default' | 'filled'
  /** Uploads the file, and returns the id of its import; the problem is shown when it fails. */
  onFile: (file: File) => Promise<string>
}

/** A file is chosen by mouse or keyboard, or dropped. */
export const FilePicker = ({ label, variant = 'filled', onFile }: FilePickerProps) => {
  const text = useMessages(fileMessages)
  const { may } = useCaller()
  const router = useRouter()
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  const [isWaiting, setWaiting] = useState(false)
  const [failure, setFailure] = useFailure()
  const refusal = may('imports:write') ? null : text('mayNot')

  const take = async (file: File | undefined) => {
    if (!file || refusal || isWaiting) return
    const { pathname } = router.state.location
    setWaiting(true)
    setFailure(null)
    try {
      const importId = await onFile(file)
      // Who has left the page meanwhile finds the import among the earlier ones.
      if (router.state.location.pathname === pathname)
        await router.navigate({ to: '/import/file/$importId', params: { importId } })
    } catch (cause) {
      setFailure(cause)
    } finally {
      setWaiting(false)
    }
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    void take(event.dataTransfer.files[0])
  }
  return (
    <>
      <div
        className={styles.picker}
        data-over={isOver || undefined}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <ActionButton
          size="sm"
          variant={variant}
          loading={isWaiting}
          refusal={refusal}
          onClick={() => input.current?.click()}
        >
          {label}
        </ActionButton>
        {/* Its own button does not fit on a narrow phone. */}
        <input
          ref={input}
          type="file"
          hidden
          accept=".csv,.tsv,.txt,.json"
          aria-label={label}
          onChange={({ currentTarget }) => {
            void take(currentTarget.files?.[0])
            currentTarget.value = ''
          }}
        />
        <span className={styles.quiet}>{text('drop')}</span>
      </div>
      <ProblemNote failure={failure} />
    </>
  )
}
