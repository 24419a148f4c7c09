import { useEffect, useState } from 'react'

import { ChevronFirst, ChevronLeft, ChevronRight, Cross } from '../../components/icons.tsx'
import { UnsavedChanges } from '../../components/unsaved-changes.tsx'
import { useMessages } from '../../i18n/language.tsx'
import { photoMessages } from './messages.ts'
import type { Media } from './use-photos.ts'
import styles from './photos.module.css'

interface PhotoItemProps {
  photo: Media
  index: number
  count: number
  refusal: string | undefined
  isDragged: boolean
  onDrag: () => void
  onDrop: () => void
  onMove: (to: number) => void
  onDescribe: (description: string | null) => Promise<unknown>
  onDelete: () => void
}

/** One photo with its description; it is moved by dragging or by its buttons. */
export const PhotoItem = (props: PhotoItemProps) => {
  const { photo, index, count, refusal, isDragged, onDrag, onDrop, onMove, onDescribe, onDelete } = props
  const text = useMessages(photoMessages)
  const number = index + 1
  const small = photo.renditions.find(({ name }) => name === 'small') ?? photo
  const description = photo.description ?? ''
  // Only what was typed here is saved: a colleague may describe the photo meanwhile.
  const [typed, setTyped] = useState<string>()
  useEffect(() => setTyped((now) => (now?.trim() === description ? undefined : now)), [description])
  // Typed and not sent, or rejected: the field looks the same as if it were saved.
  const [isUnsaved, setUnsaved] = useState(false)
  const disabled = refusal !== undefined
  const shared = { type: 'button', className: styles.button, title: refusal, disabled } as const
  return (
    <li
      className={styles.photo}
      data-dragged={isDragged}
      draggable={!refusal}
      onDragStart={onDrag}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        onDrop()
      }}
    >
      <div className={styles.frame}>
        {photo.content_type === 'application/pdf' ? (
          <a href={photo.url}>{text('document')}</a>
        ) : (
          <img src={small.url} alt={photo.description ?? ''} loading="lazy" draggable={false} />
        )}
        {index === 0 && <span className={styles.title}>{text('title')}</span>}
      </div>
      <UnsavedChanges isDirty={isUnsaved && typed !== undefined} />
      <input
        className={styles.alt}
        aria-label={text('alt', { number })}
        placeholder={text('altHint')}
        value={typed ?? description}
        maxLength={1000}
        disabled={disabled}
        title={refusal}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value)
          setUnsaved(true)
        }}
        onBlur={() => {
          setUnsaved(false)
          if (typed?.trim() === description) setTyped(undefined)
          else if (typed !== undefined) onDescribe(typed.trim() || null).catch(() => setUnsaved(true))
        }}
        onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
      />
      <div className={styles.buttons}>
        {/* At an end they keep the focus of who moves the photo by keyboard. */}
        <button
          {...shared}
          aria-label={text('makeTitle', { number })}
          aria-disabled={index === 0}
          onClick={() => onMove(0)}
        >
          <ChevronFirst />
        </button>
        <button
          {...shared}
          aria-label={text('earlier', { number })}
          aria-disabled={index === 0}
          onClick={() => onMove(index - 1)}
        >
          <ChevronLeft />
        </button>
        <button
          {...shared}
          aria-label={text('later', { number })}
          aria-disabled={number === count}
          onClick={() => onMove(index + 1)}
        >
          <ChevronRight />
        </button>
        <button {...shared} aria-label={text('remove', { number })} onClick={onDelete}>
          <Cross />
        </button>
      </div>
    </li>
  )
}
