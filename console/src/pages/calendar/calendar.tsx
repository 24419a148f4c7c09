import { useMemo, useRef, useState } from 'react'
import { Button } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { getRouteApi } from '@tanstack/react-router'

import { EmptyState } from '../../components/empty-state.tsx'
import { useFailureText } from '../../i18n/failure-text.ts'
import { useMessages } from '../../i18n/language.tsx'
import type { Statuses } from '../../live/sync-state.ts'
import { useStatuses } from '../../live/sync-statuses.ts'
import { useCaller } from '../../session/api.tsx'
import { GroupSkeleton } from '../portfolio/skeleton.tsx'
import { usePortfolioRecords } from '../portfolio/use-portfolio-records.ts'
import type { Bar } from './bars.ts'
import { BookingPanel } from './booking-panel.tsx'
import { CalendarGrid } from './calendar-grid.tsx'
import type { VisibleRange } from './calendar-grid.tsx'
import { CalendarToolbar } from './calendar-toolbar.tsx'
import type { ChangeDraft, SelectedUnit } from './change-draft.ts'
import { Editor } from './editor.tsx'
import type { CalendarFilter } from './filter.ts'
import { layoutOf } from './grid-layout.ts'
import { Legend } from './legend.tsx'
import { calendarMessages } from './messages.ts'
import { MonthView } from './month-view.tsx'
import { dateOf, dayOf, todayIn } from './nights.ts'
import { buildRows, filterUnits } from './rows.ts'
import type { CalendarRow, CalendarUnit } from './rows.ts'
import { rectangleOf } from './selection.ts'
import type { Selection } from './selection.ts'
import { useSyncMarks } from './sync-marks.ts'
import { useCalendar } from './use-calendar.ts'
import { useChangeNights } from './use-change-nights.ts'
import styles from './calendar.module.css'

const route = getRouteApi('/calendar')
const noStatuses: Statuses = {}
const noUnits: CalendarUnit[] = []
const daysBeforeToday = 2

/** Prices, stays and blocks of every unit, night by night. */
export const Calendar = () => {
  const text = useMessages(calendarMessages)
  const describe = useFailureText()
  const filter = route.useSearch()
  const navigate = route.useNavigate()
  const { may } = useCaller()
  const isPhone = useMediaQuery('(max-width: 760px)', false, { getInitialValueInEffect: false })
  const { spaces, units, listings, error, refetch } = usePortfolioRecords()
  const statuses = useStatuses().statuses ?? noStatuses
  const scroller = useRef<HTMLDivElement>(null)
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set())
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set())
  const [selection, setSelection] = useState<Selection | null>(null)
  const [isEditing, setEditing] = useState(false)
  const [openBar, setOpenBar] = useState<Bar | null>(null)
  const changes = useChangeNights()

  const shown = useMemo(
    () => (spaces && units && listings ? filterUnits(spaces, units, listings, statuses, filter) : noUnits),
    [spaces, units, listings, filter.state ? statuses : null, filter],
  )
  const today = todayIn(shown[0]?.space.timezone)
  const startDay = filter.from ? dayOf(filter.from) : today - (isPhone ? 0 : daysBeforeToday)
  const [visible, setVisible] = useState<VisibleRange>({
    firstUnit: 0,
    lastUnit: 20,
    from: startDay,
    to: startDay + 30,
  })

  const withoutPlans = useMemo(
    () => buildRows(shown, { collapsed, expanded: noIds }, noPlans),
    [shown, collapsed],
  )
  const unitIndex = Math.max(
    0,
    withoutPlans.visible.findIndex(({ unit }) => unit.id === filter.unit),
  )
  const phoneRange = { firstUnit: unitIndex, lastUnit: unitIndex, from: startDay - 38, to: startDay + 45 }
  const data = useCalendar({
    units: useMemo(() => withoutPlans.visible.map(({ unit }) => unit), [withoutPlans]),
    ...(isPhone ? phoneRange : visible),
  })
  const { rows, visible: ordered } = useMemo(
    () => buildRows(shown, { collapsed, expanded }, (id) => data.tileOf(id, visible.from)?.plans.length ?? 1),
    [shown, collapsed, expanded, data, visible.from],
  )
  const layout = useMemo(() => layoutOf(filter.density ?? 'comfortable', isPhone), [filter.density, isPhone])
  const marks = useSyncMarks(changes.changed)

  const setFilter = (next: CalendarFilter) => void navigate({ search: next, replace: true })
  const select = (next: Selection | null) => {
    setSelection(next)
    setOpenBar(null)
    if (next === null) setEditing(false)
  }
  const fold = (row: CalendarRow) => {
    const id = row.kind === 'space' ? row.key : row.kind === 'unit' ? row.shown.unit.id : null
    if (id !== null) (row.kind === 'space' ? setCollapsed : setExpanded)((known) => toggled(known, id))
  }
  const close = () => {
    setEditing(false)
    setOpenBar(null)
    changes.clearFault()
    scroller.current?.focus({ preventScroll: true })
  }

  const selected = selection && rectangleOf(selection)
  const selectedUnits = useMemo(
    () =>
      selected
        ? ordered
            .slice(selected.firstUnit, selected.lastUnit + 1)
            .map(({ unit }) => selectNights(unit, selected.from, selected.to, data.nightOf))
        : [],
    [selected?.firstUnit, selected?.lastUnit, selected?.from, selected?.to, ordered, data],
  )
  const save = async (draft: ChangeDraft) => {
    if (await changes.save(selectedUnits, draft)) close()
  }
  const failure = error && !units ? error : data.error
  const currency = (selected && ordered[selected.firstUnit]?.unit.currency) ?? 'eur'

  return (
    <div className={styles.page}>
      <title>{`${text('title')} · Vacancy`}</title>
      <div className={styles.head}>
        <h1 className={styles.title}>{text('title')}</h1>
        <CalendarToolbar
          filter={filter}
          spaces={spaces ?? []}
          day={startDay}
          today={today}
          onFilter={setFilter}
          onJump={(day) => setFilter({ ...filter, from: dateOf(day) })}
        />
      </div>
      {failure ? (
        <EmptyState
          tone="bad"
          title={text('loadFailed')}
          action={<Button onClick={() => (error ? refetch() : data.refetch())}>{text('tryAgain')}</Button>}
        >
          {describe(failure)}
        </EmptyState>
      ) : !spaces || !units || !listings ? (
        <GroupSkeleton />
      ) : shown.length === 0 ? (
        units.length === 0 ? (
          <EmptyState title={text('noUnits')}>{text('noUnitsText')}</EmptyState>
        ) : (
          <EmptyState
            title={text('nothingFound')}
            action={
              <Button variant="default" onClick={() => setFilter({})}>
                {text('clearFilters')}
              </Button>
            }
          />
        )
      ) : (
        <div className={styles.body}>
          {isPhone ? (
            <MonthView
              units={ordered}
              unitIndex={unitIndex}
              data={data}
              day={startDay}
              today={today}
              selection={selection}
              onSelect={select}
              onUnit={(unit) => setFilter({ ...filter, unit })}
              onJump={(day) => setFilter({ ...filter, from: dateOf(day) })}
              onEdit={() => setEditing(true)}
            />
          ) : (
            <CalendarGrid
              rows={rows}
              unitCount={ordered.length}
              data={data}
              layout={layout}
              today={today}
              startDay={startDay}
              selection={selection}
              openBar={openBar?.id ?? null}
              statuses={statuses}
              marks={marks}
              scroller={scroller}
              onSelect={select}
              onEdit={() => setEditing(true)}
              onOpenBar={(bar) => {
                setEditing(false)
                setOpenBar(bar)
              }}
              onFold={fold}
              onVisible={setVisible}
            />
          )}
          {isEditing && selected && (
            <Editor
              units={selectedUnits}
              nights={selected.to - selected.from + 1}
              currency={currency}
              mayEdit={may('units:write')}
              fault={changes.fault}
              isSaving={changes.isSaving}
              onSave={(draft) => void save(draft)}
              onClose={close}
            />
          )}
          {openBar && !isEditing && (
            <BookingPanel
              booking={openBar.booking}
              unitName={ordered.find(({ unit }) => unit.id === openBar.booking.unitId)?.unit.name ?? ''}
              onClose={close}
            />
          )}
        </div>
      )}
      {!isPhone && <Legend />}
    </div>
  )
}

const noIds: ReadonlySet<string> = new Set()
const noPlans = () => 1

const toggled = (known: ReadonlySet<string>, id: string): ReadonlySet<string> =>
  known.has(id) ? new Set([...known].filter((one) => one !== id)) : new Set([...known, id])

const selectNights = (
  unit: CalendarUnit['unit'],
  from: number,
  to: number,
  nightOf: ReturnType<typeof useCalendar>['nightOf'],
): SelectedUnit => ({
  id: unit.id,
  quantity: unit.quantity,
  basePriceCents: unit.base_price_cents,
  minPriceCents: unit.min_price_cents,
  nights: Array.from({ length: to - from + 1 }, (_, index) => from + index).flatMap((day) => {
    const night = nightOf(unit.id, day)
    return night ? [{ day, night }] : []
  }),
})
