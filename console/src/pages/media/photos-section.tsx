import { useEffect, useRef, useState } from 'react'
import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { deleteMedia, updateMedia, uploadMedia } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { FailureNote } from '../../components/bulk-failures.tsx'
import { componentMessages } from '../../components/component-messages.ts'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { Section } from '../../components/section.tsx'
import { useToast } from '../../components/toast.tsx'
import { useIsShown } from '../../components/use-is-shown.ts'
import { useFailureText } from '../../i18n/failure-text.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller } from '../../session/api.tsx'
import { photoMessages } from './messages.ts'
import { PhotoItem } from './photo-item.tsx'
import { moved, usePhotos } from './use-photos.ts'
import type { Media, PhotoPlace } from './use-photos.ts'
import styles from './photos.module.css'

/** Ten megabytes over a slow line. */
const uploadTimeoutMs = 180_000
const accepted = 'image/jpeg,image/png,image/webp,image/avif,image/gif'

/** The photos of a unit or space: added, described, ordered, deleted. */
export const PhotosSection = ({ place }: { place: PhotoPlace }) => {
  const text = useMessages(photoMessages)
  const common = useMessages(componentMessages)
  const describe = useFailureText()
  const api = useApi()
  const toast = useToast()
  const isShown = useIsShown()
  const queries = useQueryClient()
  const { may } = useCaller()
  const { photos, error, show, refresh } = usePhotos(place)
  const [progress, setProgress] = useState<{ done: number; count: number } | null>(null)
  /** Of the last upload, so that what was not stored is still named after it. */
  const [failures, setFailures] = useState<string[]>([])
  const [dragged, setDragged] = useState<number | null>(null)
  const [asked, setAsked] = useState<Media | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const refusal = may('media:write') ? undefined : text('mayNot')

  const mutationKey = [updateMedia.path, place.spaceId, place.unitId]
  /** One after the other, so that the last place of a photo is the one that stays. */
  const { mutate, mutateAsync: save } = useMutation({
    mutationKey,
    scope: { id: mutationKey.join(' ') },
    mutationFn: (change: { id: string; body: contract.MediaPatch }) =>
      api.send(updateMedia, { path: { id: change.id }, body: change.body }),
    onError: (cause) => toast({ message: describe(cause) }),
    // The list is not read between two changes: it would show the photos where they were.
    onSettled: () => (queries.isMutating({ mutationKey }) === 1 ? refresh() : undefined),
  })
  /** One after the other, in the order of the files. */
  const upload = async (files: readonly File[]) => {
    const { spaceId, unitId } = place
    const failed: string[] = []
    setFailures([])
    for (const [done, file] of files.entries()) {
      setProgress({ done, count: files.length })
      try {
        await api.send(uploadMedia, {
          path: { property_id: spaceId },
          body: { file, ...(unitId && { unit_id: unitId }) },
          timeoutMs: uploadTimeoutMs,
        })
      } catch (cause) {
        failed.push(text('failed', { name: file.name, reason: describe(cause) }))
        setFailures([...failed])
      }
      await refresh()
    }
    setProgress(null)
    if (!isShown.current && failed.length > 0) toast({ message: failed.join(' ') })
  }
  const isUploading = progress !== null
  // The files that are not sent yet are lost with the page.
  useEffect(() => {
    if (!isUploading) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [isUploading])
  const move = (from: number, to: number) => {
    const photo = photos?.[from]
    if (!photos || !photo || from === to || to < 0 || to >= photos.length) return
    show(moved(photos, from, to))
    mutate({ id: photo.id, body: { position: to } })
  }
  const drop = (to: number) => {
    if (dragged !== null) move(dragged, to)
    setDragged(null)
  }
  return (
    <Section
      title={text('photos')}
      actions={
        <>
          {progress && (
            <span className={styles.progress} role="status">
              {text('uploading', progress)}
              <progress value={progress.done} max={progress.count} aria-label={text('uploading', progress)} />
            </span>
          )}
          <Button
            size="compact-sm"
            variant="default"
            loading={isUploading}
            disabled={refusal !== undefined}
            title={refusal}
            onClick={() => input.current?.click()}
          >
            {text('add')}
          </Button>
          <input
            ref={input}
            type="file"
            hidden
            multiple
            accept={accepted}
            aria-label={text('add')}
            onChange={({ currentTarget }) => {
              void upload([...(currentTarget.files ?? [])])
              currentTarget.value = ''
            }}
          />
        </>
      }
    >
      <ProblemNote failure={error} onRetry={() => void refresh()} />
      {failures.length > 0 && (
        <FailureNote onClose={() => setFailures([])}>
          {failures.map((failure, at) => (
            <div key={at}>{failure}</div>
          ))}
        </FailureNote>
      )}
      {photos?.length === 0 && <p className={styles.none}>{text('none')}</p>}
      <ol className={styles.photos}>
        {photos?.map((photo, index) => (
          <PhotoItem
            key={photo.id}
            photo={photo}
            index={index}
            count={photos.length}
            refusal={refusal}
            isDragged={dragged === index}
            onDrag={() => setDragged(index)}
            onDrop={() => drop(index)}
            onMove={(to) => move(index, to)}
            onDescribe={(description) => save({ id: photo.id, body: { description } })}
            onDelete={() => setAsked(photo)}
          />
        ))}
      </ol>
      {asked && (
        <ConfirmDialog
          isDangerous
          title={text('removeTitle')}
          action={common('delete')}
          onConfirm={async () => {
            await api.send(deleteMedia, { path: { id: asked.id } })
            await refresh()
          }}
          onClose={() => setAsked(null)}
        >
          {text('removeText')}
        </ConfirmDialog>
      )}
    </Section>
  )
}
