import { useEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'

import { componentMessages } from '../../components/component-messages.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { SelectField } from '../../components/filters.tsx'
import { Page } from '../../components/page.tsx'
import { SelectionBar } from '../../components/record-table-selection.tsx'
import { SavedViews } from '../../components/saved-views.tsx'
import { ShowMore } from '../../components/show-more.tsx'
import { TableSkeleton } from '../../components/table-skeleton.tsx'
import { ActionButton } from '../../components/action-button.tsx'
import { useSelection } from '../../components/use-selection.ts'
import { useTargets } from '../../components/use-targets.ts'
import { useFailureText } from '../../i18n/failure-text.ts'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { attentionCount, useToday } from '../../live/today.ts'
import { useCaller } from '../../session/api.tsx'
import { AlertItem } from './alert-item.tsx'
import { DismissDialog } from './conflict-dialogs.tsx'
import { ConflictItem } from './conflict-item.tsx'
import { FailureItem, useRetryCauses } from './failure-item.tsx'
import { inboxParts } from './filter.ts'
import type { InboxFilter, InboxPart } from './filter.ts'
import { inboxMessages } from './messages.ts'
import { useInboxKeys } from './use-inbox-keys.ts'
import { useInbox } from './use-inbox.ts'
import type { AlertGroup } from './use-inbox.ts'
import styles from './inbox.module.css'

const route = getRouteApi('/inbox')

/** Everything that waits for a person: conflicts, failing syncs by cause, alerts. */
export const Inbox = () => {
  const text = useMessages(inboxMessages)
  const format = useFormat()
  const filter = route.useSearch()
  const navigate = route.useNavigate()
  const { data: today } = useToday()
  const targets = useTargets()
  const { conflicts, failures, alerts, groups } = useInbox(filter)
  const { selected, toggle, clear } = useSelection()
  useInboxKeys()
  const tabs = useRef<HTMLElement>(null)
  const isCounted = today !== undefined
  // On a phone the parts are a line that is wider than the screen; their counts make it wider.
  useEffect(() => {
    const open = tabs.current?.querySelector('[aria-current]')
    open?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [filter.show, isCounted])

  const setFilter = (next: InboxFilter) => void navigate({ search: next, replace: true })
  const { open: _, ...conditions } = filter
  const itemState = (id: string, canSelect: boolean, isOpen = filter.open === id) => ({
    isOpen,
    onToggle: () => setFilter(isOpen ? conditions : { ...conditions, open: id }),
    ...(canSelect && {
      selection: { isChecked: selected.has(id), onClick: () => toggle([id]) },
    }),
  })
  // Today leads to one alert, which may be one of several that are shown together.
  const isOpen = ({ id, alerts: own }: AlertGroup) =>
    [id, ...own.map((one) => one.id)].includes(filter.open ?? '')
  const counts: Record<InboxPart, number | undefined> = {
    conflicts: today?.conflicts.count,
    failures: today?.sync_failures?.causes,
    alerts: today?.alerts?.count,
  }
  const total = today && attentionCount(today)
  const isShown = (part: InboxPart) => !filter.show || filter.show === part
  const causes = failures.data?.sync_failures
  const parts: Record<
    InboxPart,
    { count: number | undefined; error: unknown; refetch: () => void; list: ReactNode }
  > = {
    conflicts: {
      count: conflicts.records?.length,
      error: conflicts.error,
      refetch: conflicts.refetch,
      list: conflicts.records?.map((conflict) => (
        <ConflictItem key={conflict.id} conflict={conflict} {...itemState(conflict.id, true)} />
      )),
    },
    failures: {
      count: causes?.length,
      error: causes ? null : failures.error,
      refetch: () => void failures.refetch(),
      list: causes?.map((failure) => (
        <FailureItem key={failure.id} failure={failure} {...itemState(failure.id, true)} />
      )),
    },
    alerts: {
      count: groups?.length,
      error: alerts.error,
      refetch: alerts.refetch,
      list: groups?.map((group) => (
        <AlertItem key={group.id} group={group} {...itemState(group.id, false, isOpen(group))} />
      )),
    },
  }
  const lists = { conflicts, alerts }
  const shown = inboxParts.filter(isShown)
  const isEmpty = shown.every((part) => parts[part].count === 0)

  return (
    <Page
      title={text('title')}
      tabTitle={total ? `(${total}) ${text('title')}` : text('title')}
      summary={total !== undefined && text('summary', { count: total })}
      filters={
        <>
          <nav ref={tabs} className={styles.tabs} aria-label={text('parts')}>
            {[undefined, ...inboxParts].map((part) => (
              <Link
                key={part ?? 'all'}
                to="/inbox"
                search={{ ...(part && { show: part }), ...(filter.target && { target: filter.target }) }}
                className={styles.tab}
                // A link whose search is a part of the address would count as current.
                activeOptions={{ exact: true }}
                aria-current={filter.show === part ? 'page' : undefined}
              >
                {text(part ?? 'everything')}
                {part && counts[part] ? (
                  <span className={styles.count}>{format.number(counts[part])}</span>
                ) : null}
              </Link>
            ))}
          </nav>
          {targets.length > 1 && (
            <SelectField
              label={text('target')}
              value={filter.target}
              options={targets.map(({ id, name }) => ({ value: id, label: name }))}
              onChange={(target) =>
                setFilter({ ...(filter.show && { show: filter.show }), ...(target && { target }) })
              }
            />
          )}
        </>
      }
      views={<SavedViews screen="inbox" filter={conditions} onFilter={setFilter} />}
    >
      {isEmpty ? (
        <EmptyState
          title={text(filter.target ? 'emptyFiltered' : filter.show ? 'emptyPart' : 'emptyTitle')}
          action={
            (filter.target || filter.show) && (
              <Button variant="default" onClick={() => setFilter({})}>
                {text('showAll')}
              </Button>
            )
          }
        >
          {!filter.target && !filter.show && text('emptyText')}
        </EmptyState>
      ) : (
        shown.map((part) => <Part key={part} name={part} {...parts[part]} />)
      )}
      {(['conflicts', 'alerts'] as const).map(
        (part) =>
          isShown(part) && (
            <ShowMore key={part} list={lists[part]} label={`${text(part)}: ${text('more')}`} />
          ),
      )}
      <Selection
        selected={selected}
        conflicts={conflicts.records ?? []}
        causes={causes ?? []}
        onClear={clear}
      />
    </Page>
  )
}

interface PartProps {
  name: InboxPart
  count: number | undefined
  error: unknown
  refetch: () => void
  list: ReactNode
}

const Part = ({ name, count, error, refetch, list }: PartProps) => {
  const text = useMessages(inboxMessages)
  const common = useMessages(componentMessages)
  const describe = useFailureText()
  if (count === 0) return null
  return (
    <section className={styles.part} aria-label={text(name)}>
      <h2 className={styles.heading}>{text(name)}</h2>
      {error ? (
        <EmptyState
          tone="bad"
          title={text('loadFailed')}
          action={<Button onClick={refetch}>{common('tryAgain')}</Button>}
        >
          {describe(error)}
        </EmptyState>
      ) : count === undefined ? (
        <TableSkeleton rows={2} />
      ) : (
        <ul className={styles.list}>{list}</ul>
      )}
    </section>
  )
}

interface SelectionProps {
  selected: ReadonlySet<string>
  conflicts: NonNullable<ReturnType<typeof useInbox>['conflicts']['records']>
  causes: { id: string }[]
  onClear: () => void
}

/** What can be done with all selected items at once; what is gone meanwhile does not count. */
const Selection = ({ selected, conflicts, causes, onClear }: SelectionProps) => {
  const text = useMessages(inboxMessages)
  const { may } = useCaller()
  const retryCauses = useRetryCauses()
  const [isDismissing, setDismissing] = useState(false)
  const [isSending, setSending] = useState(false)
  const chosenConflicts = conflicts.filter(({ id }) => selected.has(id))
  const chosenCauses = causes.filter(({ id }) => selected.has(id))
  const count = chosenConflicts.length + chosenCauses.length
  // The dialog is gone with the last conflict that it was about.
  useEffect(() => {
    if (chosenConflicts.length === 0) setDismissing(false)
  }, [chosenConflicts.length])
  if (count === 0) return null
  const retry = async () => {
    setSending(true)
    await retryCauses(chosenCauses.map(({ id }) => id))
    setSending(false)
    onClear()
  }
  return (
    <SelectionBar count={count} onClear={onClear}>
      {chosenCauses.length > 0 && (
        <ActionButton
          refusal={may('sync:write') ? null : text('noRetryRole')}
          loading={isSending}
          onClick={() => void retry()}
        >
          {text('retrySelected', { count: chosenCauses.length })}
        </ActionButton>
      )}
      {chosenConflicts.length > 0 && (
        <ActionButton
          refusal={may('bookings:write') ? null : text('noBookingRole')}
          onClick={() => setDismissing(true)}
        >
          {text('dismissSelected', { count: chosenConflicts.length })}
        </ActionButton>
      )}
      {isDismissing && <DismissDialog conflicts={chosenConflicts} onClose={() => setDismissing(false)} />}
    </SelectionBar>
  )
}
