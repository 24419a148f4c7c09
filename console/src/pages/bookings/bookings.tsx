import { useMemo, useState } from 'react'
import { Button } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import type { LinkProps } from '@tanstack/react-router'
import { exportBookings, listBookings } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { BulkFailures } from '../../components/bulk-failures.tsx'
import type { BulkFailure } from '../../components/bulk-result.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ExportButton } from '../../components/export-button.tsx'
import { Plus } from '../../components/icons.tsx'
import { Page } from '../../components/page.tsx'
import type { Column } from '../../components/record-columns.ts'
import { RecordTable } from '../../components/record-table.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { SavedViews } from '../../components/saved-views.tsx'
import { saveFile } from '../../components/save-file.ts'
import { useRecords } from '../../components/use-records.ts'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller } from '../../session/api.tsx'
import { useUnitsById } from '../units/use-units-by-id.ts'
import { bookingMessages } from './booking-messages.ts'
import { BookingStatus } from './booking-status.tsx'
import { BookingsToolbar } from './bookings-toolbar.tsx'
import { BulkActions } from './bulk-actions.tsx'
import { defaultSort, queryOf } from './filter.ts'
import type { BookingsFilter } from './filter.ts'
import { bookingsMessages } from './messages.ts'
import { usePlaces } from './use-places.ts'
import styles from './bookings.module.css'

const route = getRouteApi('/bookings')

/** All bookings, by filters that are kept in the address. */
export const Bookings = () => {
  const text = useMessages(bookingsMessages)
  const filter = route.useSearch()
  const navigate = route.useNavigate()
  const word = useMessages(bookingMessages)
  const mayWrite = useCaller().may('bookings:write')
  const places = usePlaces()
  const [failures, setFailures] = useState<BulkFailure[]>([])
  const list = useRecords(listBookings, { query: queryOf(filter) })
  const units = useUnitsById(list.records?.map(({ unitId }) => unitId) ?? [])
  const columns = useColumns(places, units)

  const setFilter = (next: BookingsFilter) => void navigate({ search: next, replace: true })
  const { sort = defaultSort, ...conditions } = filter
  const newBooking = (
    <Button
      leftSection={<Plus />}
      disabled={!mayWrite}
      title={mayWrite ? undefined : word('noPermission')}
      onClick={() => void navigate({ to: '/bookings/new' })}
    >
      {text('newBooking')}
    </Button>
  )

  return (
    <Page
      title={text('title')}
      actions={
        <>
          <Export filter={filter} />
          {newBooking}
        </>
      }
      filters={<BookingsToolbar filter={filter} places={places} onFilter={setFilter} />}
      views={<SavedViews screen="bookings" filter={filter} onFilter={setFilter} />}
    >
      <BulkFailures failures={failures} link={bookingLink} onClose={() => setFailures([])} />
      <RecordTable
        label={text('title')}
        columns={columns}
        list={list}
        link={({ id }) => bookingLink(id)}
        nameOf={({ guestName }) => guestName || word('anonymous')}
        sort={sort}
        onSort={(next) => setFilter({ ...filter, sort: next as NonNullable<BookingsFilter['sort']> })}
        bulkActions={
          mayWrite &&
          ((bookings, clear) => (
            <BulkActions
              bookings={bookings}
              onDone={(failed) => {
                setFailures(failed)
                clear()
              }}
            />
          ))
        }
        empty={
          Object.keys(conditions).length > 0 ? (
            <EmptyState
              title={text('nothingTitle')}
              action={
                <Button variant="default" onClick={() => setFilter({})}>
                  {text('clear')}
                </Button>
              }
            />
          ) : (
            <EmptyState title={text('noneTitle')} action={newBooking}>
              {text('noneText')}
            </EmptyState>
          )
        }
      />
    </Page>
  )
}

const bookingLink = (id: string): LinkProps => ({ to: '/bookings/$bookingId', params: { bookingId: id } })

const isThisYear = (date: string) => date.startsWith(String(new Date().getFullYear()))

const useColumns = (
  { spaceOf, channelOf }: ReturnType<typeof usePlaces>,
  units: ReturnType<typeof useUnitsById>,
) => {
  const text = useMessages(bookingsMessages)
  const word = useMessages(bookingMessages)
  const format = useFormat()
  return useMemo(
    (): Column<contract.Booking>[] => [
      {
        id: 'guest',
        header: text('guest'),
        width: 'minmax(116px, 1.4fr)',
        cell: ({ guestName }) => guestName || word('anonymous'),
      },
      {
        id: 'check_in',
        header: text('stay'),
        sortable: true,
        width: 'minmax(212px, 1.3fr)',
        phone: 'line',
        cell: ({ arrival, departure, nights }) => (
          <>
            {format.shortDate(arrival)} – {format.shortDate(departure)}
            <span className={styles.sub}>
              {word('nights', { count: nights })}
              {isThisYear(arrival) || ` · ${arrival.slice(0, 4)}`}
            </span>
          </>
        ),
      },
      {
        id: 'unit',
        header: text('unit'),
        width: 'minmax(120px, 1.4fr)',
        phone: 'line',
        cell: ({ unitId, spaceId, rooms }) => (
          <>
            {units[unitId]?.name}
            {rooms > 1 && ` × ${format.number(rooms)}`}
            <span className={styles.sub}>{spaceOf(spaceId)?.name}</span>
          </>
        ),
      },
      {
        id: 'status',
        header: text('status'),
        width: '124px',
        cell: ({ status }) => <BookingStatus status={status} />,
      },
      { id: 'channel', header: text('channel'), width: 'minmax(90px, 0.8fr)', cell: channelOf },
      {
        id: 'total',
        header: text('total'),
        align: 'end',
        phone: 'end',
        width: '92px',
        cell: ({ totalCents, currency }) => format.money(totalCents, currency),
      },
      {
        id: 'created_at',
        header: text('booked'),
        sortable: true,
        align: 'end',
        phone: 'hidden',
        width: '100px',
        cell: ({ createdAt, spaceId }) => (
          <RelativeTime at={createdAt} timeZone={spaceOf(spaceId)?.timezone} />
        ),
      },
    ],
    [text, word, format, units, spaceOf, channelOf],
  )
}

const Export = ({ filter }: { filter: BookingsFilter }) => {
  const text = useMessages(bookingsMessages)
  const api = useApi()
  const save = async () =>
    saveFile(await api.download(exportBookings, { query: queryOf(filter) }), 'bookings.csv')
  return <ExportButton label={text('exportCsv')} permission="bookings:read" onExport={save} />
}
