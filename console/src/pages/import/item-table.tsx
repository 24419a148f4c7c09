import { useMemo } from 'react'
import { Button } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import type { LinkProps } from '@tanstack/react-router'
import { listImportItems } from '@vacancy/client'

import { Badge } from '../../components/badge.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { SelectField } from '../../components/filters.tsx'
import { Arrow, Check, Cross, Plus } from '../../components/icons.tsx'
import { withMember } from '../../components/read-search.ts'
import type { Column } from '../../components/record-columns.ts'
import { RecordTable } from '../../components/record-table.tsx'
import { useRecords } from '../../components/use-records.ts'
import { useMessages } from '../../i18n/language.tsx'
import { itemMessages } from './item-messages.ts'
import { itemActions, itemKinds } from './item-filter.ts'
import type { ItemFilter } from './item-filter.ts'
import { countItems } from './use-import.ts'
import type { Import, ImportItem } from './use-import.ts'
import styles from './import.module.css'

const route = getRouteApi('/import/$importId')

/** Every item of the plan: what is done with it and why, and the record that it became. */
export const ItemTable = ({ current }: { current: Import }) => {
  const text = useMessages(itemMessages)
  const filter = route.useSearch()
  const navigate = route.useNavigate()
  const setFilter = (next: ItemFilter) => void navigate({ search: next, replace: true, resetScroll: false })
  const list = useRecords(listImportItems, { path: { id: current.id }, query: queryOf(filter) })
  const columns = useMemo(
    (): Column<ImportItem>[] => [
      {
        id: 'name',
        header: text('name'),
        width: 'minmax(180px, 2fr)',
        cell: ({ name, kind }) => name || text(kind),
      },
      { id: 'kind', header: text('kind'), width: '120px', cell: ({ kind }) => text(kind) },
      {
        id: 'action',
        header: text('action'),
        width: '160px',
        phone: 'end',
        cell: (item) => <ItemResult item={item} />,
      },
      {
        id: 'reason',
        header: text('reason'),
        width: 'minmax(200px, 3fr)',
        cell: ({ reason }) => reason && <span className={styles.quiet}>{text(reason)}</span>,
      },
    ],
    [text],
  )
  const isEmptyPlan = countItems(current).total === 0
  return (
    <section aria-label={text('items')}>
      {!isEmptyPlan && (
        <div className={styles.filters}>
          <SelectField
            label={text('kind')}
            value={filter.kind}
            options={itemKinds.map((value) => ({ value, label: text(value) }))}
            onChange={(kind) => setFilter(withMember(filter, 'kind', kind))}
          />
          <SelectField
            label={text('action')}
            value={filter.action}
            options={itemActions.map((value) => ({ value, label: text(value) }))}
            onChange={(action) => setFilter(withMember(filter, 'action', action))}
          />
        </div>
      )}
      <RecordTable
        label={text('items')}
        columns={columns}
        list={list}
        link={linkOf}
        empty={
          isEmptyPlan ? (
            <EmptyState title={text('emptyPlan')}>{text('emptyPlanText')}</EmptyState>
          ) : (
            <EmptyState
              title={text('noItems')}
              action={
                <Button variant="default" onClick={() => setFilter({})}>
                  {text('showAll')}
                </Button>
              }
            >
              {text('noItemsText')}
            </EmptyState>
          )
        }
      />
    </section>
  )
}

const ItemResult = ({ item: { kind, action, done_at: doneAt } }: { item: ImportItem }) => {
  const text = useMessages(itemMessages)
  if (action === 'skip') return <Badge {...{ tone: 'wait', icon: Cross }}>{text('skipDone', { kind })}</Badge>
  if (action === 'match') return <Badge {...{ tone: 'still', icon: Arrow }}>{text('match')}</Badge>
  return doneAt ? (
    <Badge {...{ tone: 'ok', icon: Check }}>{text('createDone', { kind })}</Badge>
  ) : (
    <Badge {...{ tone: 'busy', icon: Plus }}>{text('create')}</Badge>
  )
}

const queryOf = ({ kind, action }: ItemFilter) => ({
  ...(kind && { kind: [kind] }),
  ...(action && { action: [action] }),
})

/** Rate plans and photos are on the page of their unit. */
const linkOf = ({ kind, record_id: id }: ImportItem): LinkProps | undefined =>
  id === null
    ? undefined
    : kind === 'unit'
      ? { to: '/units/$unitId', params: { unitId: id } }
      : kind === 'space'
        ? { to: '/spaces/$spaceId', params: { spaceId: id } }
        : undefined
