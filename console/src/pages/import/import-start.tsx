import { useState } from 'react'
import type { FormEvent } from 'react'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { createImport, listImports } from '@vacancy/client'
import type { ChannelTarget, contract } from '@vacancy/client'

import { ButtonLink } from '../../components/button-link.tsx'
import { Arrow, Plus } from '../../components/icons.tsx'
import { Page } from '../../components/page.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { RecordFallback } from '../../components/record-fallback.tsx'
import { Section } from '../../components/section.tsx'
import { useFailure } from '../../components/use-failure.ts'
import { useRecords } from '../../components/use-records.ts'
import { useTargetsQuery } from '../../components/use-targets.ts'
import { useNavigateIfShown } from '../../components/use-navigate-if-shown.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller } from '../../session/api.tsx'
import { channelMessages } from '../channels/messages.ts'
import { isImportable } from '../channels/use-channels.ts'
import { FileSource } from '../import-file/file-source.tsx'
import { EarlierImports } from './earlier-imports.tsx'
import { ImportSteps } from './import-steps.tsx'
import { importMessages } from './messages.ts'
import { useOpenImports } from './use-import.ts'
import styles from './source.module.css'

const route = getRouteApi('/import')

/** Where the portfolio is taken from, and what of it. */
export const ImportStart = () => {
  const text = useMessages(importMessages)
  const { from } = route.useSearch()
  return (
    <Page title={text('title')} width="narrow" back={{ link: { to: '/channels' }, place: text('channels') }}>
      <ImportSteps current="source" />
      <nav className={styles.ways} aria-label={text('ways')}>
        <Link
          to="/import"
          search={{}}
          activeOptions={{ exact: true }}
          aria-current={from ? undefined : 'page'}
        >
          {text('fromPms')}
        </Link>
        <Link to="/import" search={{ from: 'file' }} aria-current={from ? 'page' : undefined}>
          {text('fromFile')}
        </Link>
      </nav>
      {from === 'file' ? <FileSource /> : <PmsSource />}
    </Page>
  )
}

const PmsSource = () => {
  const text = useMessages(importMessages)
  const { channel } = route.useSearch()
  const targets = useTargetsQuery()
  const open = useOpenImports()
  const imports = useRecords(listImports, { query: { sort: '-created_at' } })
  return (
    <>
      <p className={styles.promise}>{text('promise')}</p>
      {targets.data && open.data ? (
        <SourceForm targets={targets.data} imports={open.data} preferred={channel} />
      ) : (
        <RecordFallback
          error={targets.error ?? open.error}
          title={text('targetsFailed')}
          onRetry={() => {
            void targets.refetch()
            void open.refetch()
          }}
        />
      )}
      {(imports.error !== null || imports.records?.[0] !== undefined) && <EarlierImports list={imports} />}
    </>
  )
}

interface SourceFormProps {
  targets: ChannelTarget[]
  /** Those that are not completed or cancelled. */
  imports: contract.Import[]
  /** The channel that the person comes from. */
  preferred: string | undefined
}

const SourceForm = ({ targets, imports, preferred }: SourceFormProps) => {
  const text = useMessages(importMessages)
  const words = useMessages(channelMessages)
  const api = useApi()
  const queries = useQueryClient()
  const navigate = useNavigateIfShown()
  const { may } = useCaller()
  const sources = targets.filter(isImportable)
  const others = targets.filter((target) => !isImportable(target))
  const [choice, setChoice] = useState<string | null>(null)
  // The list may grow after the form is there: a channel that was just connected.
  const wanted = choice ?? preferred
  const chosen = (sources.find(({ id }) => id === wanted) ?? sources[0])?.id ?? null
  const [hasPhotos, setHasPhotos] = useState(true)
  const [failure, setFailure] = useFailure()
  const [isWaiting, setWaiting] = useState(false)
  const openOf = (id: string | null) => imports.find((one) => one.channel_target_id === id)
  const open = openOf(chosen)
  const refusal = may('channel_targets:write') ? undefined : text('mayNot')

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (chosen === null) return
    setWaiting(true)
    setFailure(null)
    try {
      const body = { channel_target_id: chosen, include: hasPhotos ? ['photos' as const] : [] }
      const { import: created } = await api.send(createImport, { body })
      await navigate({ to: '/import/$importId', params: { importId: created.id } })
    } catch (cause) {
      setFailure(cause)
      setWaiting(false)
      // One of the channel may be open: a colleague began it, or the response was lost.
      await queries.invalidateQueries({ queryKey: [listImports.path] })
    }
  }

  return (
    <form onSubmit={(event) => void submit(event)}>
      <Section title={text('source')}>
        <div className={styles.sources} role="radiogroup" aria-label={text('source')}>
          {[...sources, ...others].map((target) => (
            <label key={target.id} className={styles.source} data-off={!isImportable(target)}>
              <input
                type="radio"
                name="source"
                value={target.id}
                disabled={!isImportable(target)}
                checked={chosen === target.id}
                onChange={() => setChoice(target.id)}
              />
              <span className={styles.sourceName}>{target.name}</span>
              <span className={styles.quiet}>
                {isImportable(target) ? words(target.config.provider ?? 'generic') : text('notImportable')}
              </span>
              {openOf(target.id) && <span className={styles.waits}>{text('openImport')}</span>}
            </label>
          ))}
        </div>
        <Link to="/channels/new" search={{ then: 'import' }} className={styles.connect}>
          <Plus />
          <span className={styles.sourceName}>{text(targets.length > 0 ? 'connect' : 'connectFirst')}</span>
          <span className={styles.quiet}>{text('connectText')}</span>
        </Link>
      </Section>
      {sources.length > 0 && !open && (
        <Section title={text('what')}>
          <div className={styles.parts}>
            <label>
              <input type="checkbox" checked disabled />
              {text('always')}
            </label>
            <label>
              <input
                type="checkbox"
                checked={hasPhotos}
                onChange={({ currentTarget }) => setHasPhotos(currentTarget.checked)}
              />
              {text('photos')}
            </label>
          </div>
        </Section>
      )}
      <ProblemNote failure={failure} />
      {open ? (
        <ButtonLink to="/import/$importId" params={{ importId: open.id }}>
          {text('continue')}
        </ButtonLink>
      ) : (
        sources.length > 0 && (
          <Button
            type="submit"
            loading={isWaiting}
            rightSection={<Arrow />}
            disabled={chosen === null || refusal !== undefined}
            title={refusal ?? (chosen === null ? text('choose') : undefined)}
          >
            {text('plan')}
          </Button>
        )
      )}
    </form>
  )
}
