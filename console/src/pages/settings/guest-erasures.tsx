import { useMemo } from 'react'
import { listGuestErasures } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { EmptyState } from '../../components/empty-state.tsx'
import type { Column } from '../../components/record-columns.ts'
import { RecordTable } from '../../components/record-table.tsx'
import { Badge } from '../../components/state-badge.tsx'
import { useRecords } from '../../components/use-records.ts'
import { useRefreshWhile } from '../../components/use-refresh-while.ts'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { guestMessages } from './guest-messages.ts'
import styles from './settings.module.css'

const states = { pending: 'waiting', running: 'syncing', completed: 'in-sync' } as const

/** The erasures of guests, the last one first, read again while one of them runs. */
export const GuestErasures = () => {
  const text = useMessages(guestMessages)
  const format = useFormat()
  const list = useRecords(listGuestErasures, { query: { sort: '-created_at' } })
  const isWorking = list.records?.some(({ status }) => status !== 'completed')
  useRefreshWhile(isWorking, listGuestErasures)
  const columns = useMemo(
    (): Column<contract.GuestErasure>[] => [
      {
        id: 'requested',
        header: text('requested'),
        width: '172px',
        cell: ({ created_at }) => format.dayTime(created_at),
      },
      { id: 'subject', header: text('subject'), cell: ({ subject }) => text(subject) },
      {
        id: 'status',
        header: text('status'),
        width: '120px',
        phone: 'end',
        cell: ({ status }) => <Badge state={states[status]}>{text(status)}</Badge>,
      },
      {
        id: 'bookings',
        header: text('bookings'),
        width: '90px',
        align: 'end',
        phone: 'labelled',
        cell: ({ bookings }) => bookings !== null && format.number(bookings),
      },
      { id: 'by', header: text('requestedBy'), cell: ({ requested_by }) => requested_by.name },
      {
        id: 'completed',
        header: text('completedAt'),
        width: '172px',
        phone: 'labelled',
        cell: ({ completed_at }) => completed_at && format.dayTime(completed_at),
      },
    ],
    [text, format],
  )
  return (
    <>
      <div className={styles.head}>
        <h2>{text('erasures')}</h2>
      </div>
      <RecordTable
        label={text('erasures')}
        columns={columns}
        list={list}
        empty={<EmptyState title={text('none')}>{text('noneText')}</EmptyState>}
      />
    </>
  )
}
