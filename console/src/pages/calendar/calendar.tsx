import { lazy, Suspense, useCallback, useMemo, useRef, useState } from 'react'
import { Button } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { getRouteApi } from '@tanstack/react-router'

import { EmptyState } from '../../components/empty-state.tsx'
import { loadedPart } from '../../components/loaded-part.tsx'
import { NoUnits } from '../../components/no-units.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { useSpaces } from '../../components/use-spaces.ts'
import { useFailureText } from '../../i18n/failure-text.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useCaller } from '../../session/api.tsx'
import { BookingPanel } from './booking-panel.tsx'
import type { OpenDialog } from './calendar-dialogs.tsx'
import { CalendarGrid } from './calendar-grid.tsx'
import { CalendarToolbar } from './calendar-toolbar.tsx'
import { hasTerms } from './change-draft.ts'
import { ChannelsContext, useReadChannels } from './channels.tsx'
import { EditorActions } from './editor-actions.tsx'
import { unitFilterOf } from './filter.ts'
import type { CalendarFilter } from './filter.ts'
import { phoneWidth, startDayOf } from './first-nights.ts'
import { layoutOf } from './grid-layout.ts'
import { GridSkeleton } from './grid-skeleton.tsx'
import { Legend } from './legend.tsx'
import { useLiveTiles } from './live-tiles.ts'
import { calendarMessages } from './messages.ts'
import { useMoveDrag, useMoveRefusal } from './move-booking.ts'
import { dateOf, todayIn } from './nights.ts'
import { buildRows } from './rows.ts'
import type { CalendarRow, CalendarUnit } from './rows.ts'
import { selectedNights, withPlan } from './selection.ts'
import type { Selection } from './selection.ts'
import { tileStart } from './tile.ts'
import { neededOnPhone, useCalendar } from './use-calendar.ts'
import type { Needed } from './use-calendar.ts'
import { useChangeNights } from './use-change-nights.ts'
import { useNightSelection } from './use-night-selection.ts'
import { usePanel } from './use-panel.ts'
import { useTodayIn } from './use-today-in.ts'
import { useCalendarUnits } from './use-units.ts'
import styles from './calendar.module.css'

const Editor = loadedPart(async () => (await import('./editor.tsx')).Editor)
const MonthView = lazy(async () => ({ default: (await import('./month-view.tsx')).MonthView }))
const CalendarDialogs = loadedPart(async () => (await import('./calendar-dialogs.tsx')).CalendarDialogs)

const route = getRouteApi('/calendar')
const noUnits: CalendarUnit[] = []
const noIds: ReadonlySet<string> = new Set()

/** Prices, stays and blocks of every unit, night by night. */
export const Calendar = () => {
  const text = useMessages(calendarMessages)
  const describe = useFailureText()
  const filter = route.useSearch()
  const navigate = route.useNavigate()
  const mayEdit = useCaller().may('units:write')
  const isPhone = useMediaQuery(phoneWidth, false, { getInitialValueInEffect: false })
  const isNarrow = useMediaQuery('(max-width: 1180px)', false, { getInitialValueInEffect: false })
  const scroller = useRef<HTMLDivElement>(null)
  const entryNight = useRef<HTMLButtonElement>(null)
  const spaces = useSpaces()
  const channels = useReadChannels()
  useLiveTiles()

  const [collapsed, setCollapsed] = useState(noIds)
  const [expanded, setExpanded] = useState(noIds)
  const panel = usePanel()
  const { editing, open, ask } = panel
  const [dialog, setDialog] = useState<OpenDialog | null>(null)

  const timeZone = spaces[0]?.timezone
  const today = useTodayIn(timeZone)
  // The nights stay where they are when another day begins.
  const openedOn = useMemo(() => todayIn(timeZone), [timeZone])
  const startDay = startDayOf(filter.from, openedOn, isPhone)
  const unitFilter = unitFilterOf(filter)
  const { units: found, error, refetch, moreError, loadMore } = useCalendarUnits(unitFilter, startDay, today)
  const units = found ?? noUnits
  const positions = useMemo(() => new Map(units.map(({ id }, index) => [id, index])), [units])
  const positionOf = useCallback((id: string) => positions.get(id) ?? 0, [positions])

  const [needed, setNeeded] = useState<Needed | null>(null)
  const phonePosition = positionOf(filter.unit ?? '')
  const phoneNeeded = useMemo(() => neededOnPhone(phonePosition, startDay), [phonePosition, startDay])
  const firstNeeded = useMemo(() => ({ pieces: [0], starts: [tileStart(startDay)] }), [startDay])
  const data = useCalendar(units, isPhone ? phoneNeeded : (needed ?? firstNeeded))

  const { rows, visible } = useMemo(
    () =>
      buildRows(units, { collapsed, expanded }, (id) => {
        const [tile] = data.of(id).tiles.values()
        return tile?.plans.map((plan) => plan.id) ?? []
      }),
    // The plans of unfolded units come with their nights.
    [units, collapsed, expanded, expanded.size > 0 ? data : null],
  )
  const shown = isPhone ? units : visible
  const [selection, setSelection] = useNightSelection(shown)
  const layout = useMemo(
    () => layoutOf(filter.density ?? 'comfortable', isNarrow),
    [filter.density, isNarrow],
  )
  const unitById = (id: string) => units[positions.get(id) ?? -1]
  const changes = useChangeNights((id) => unitById(id)?.name ?? '')
  const drag = useMoveDrag({
    units: visible,
    data,
    today,
    onDrop: (target) => setDialog({ kind: 'move', target }),
  })
  const refusalOf = useMoveRefusal(data, today)

  // The router would put the calendar back to where it was scrolled before.
  const show = (search: CalendarFilter) => void navigate({ search, replace: true, resetScroll: false })
  const unselect = () => {
    setSelection(null)
    panel.close()
  }
  const setFilter = (next: CalendarFilter) => {
    if (next.density !== filter.density) return show(next)
    ask(() => {
      unselect()
      show(next)
    })
  }
  const jump = (day: number) => show({ ...filter, from: dateOf(day) })
  const select = (next: Selection | null) => {
    if (next === null) return ask(unselect)
    setSelection(next)
    panel.closeBar()
  }
  const fold = useCallback((row: CalendarRow) => {
    if (row.kind === 'space') setCollapsed((known) => toggled(known, row.key))
    if (row.kind === 'unit') setExpanded((known) => toggled(known, row.key))
  }, [])
  const close = () => {
    panel.close()
    const night = scroller.current ?? entryNight.current
    night?.focus({ preventScroll: true })
  }

  const selected = useMemo(() => selection && selectedNights(selection, shown), [selection, shown])
  const openUnit = open && unitById(open.unitId)
  const opened = open && data.of(open.unitId).bars.find(({ id }) => id === open.barId)
  const failure = error ?? data.error

  return (
    <ChannelsContext value={channels}>
      <div className={styles.page}>
        <title>{`${text('title')} · Vacancy`}</title>
        <div className={styles.head}>
          <h1 className={styles.title}>{text('title')}</h1>
          <CalendarToolbar
            filter={filter}
            spaces={spaces}
            day={startDay}
            today={today}
            isPhone={isPhone}
            onFilter={setFilter}
            onJump={jump}
          >
            <Button
              size="compact-md"
              variant="default"
              className={styles.plain}
              onClick={() => setDialog({ kind: 'seasons', draft: null })}
            >
              {text('seasons')}
            </Button>
          </CalendarToolbar>
        </div>
        <ProblemNote failure={moreError} onRetry={loadMore} />
        {failure ? (
          <EmptyState
            tone="bad"
            title={text('loadFailed')}
            action={<Button onClick={error ? refetch : data.refetch}>{text('tryAgain')}</Button>}
          >
            {describe(failure)}
          </EmptyState>
        ) : !found ? (
          <GridSkeleton />
        ) : units.length === 0 ? (
          Object.keys(unitFilter).length === 0 ? (
            <NoUnits />
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
              <Suspense fallback={<GridSkeleton />}>
                <MonthView
                  units={units}
                  unitIndex={phonePosition}
                  data={data}
                  day={startDay}
                  today={today}
                  selection={selection}
                  entryNight={entryNight}
                  onSelect={select}
                  onUnit={(unit) => setFilter({ ...filter, unit })}
                  onJump={jump}
                  onEdit={panel.edit}
                  onOpenBar={panel.openBar}
                />
              </Suspense>
            ) : (
              <CalendarGrid
                rows={rows}
                units={visible}
                positionOf={positionOf}
                data={data}
                layout={layout}
                today={today}
                startDay={startDay}
                selection={selection}
                changed={changes.changed}
                openBar={open?.barId ?? null}
                isPanelOpen={editing !== null || open !== null}
                drag={drag}
                scroller={scroller}
                onSelect={select}
                onEdit={panel.edit}
                onOpenBar={panel.openBar}
                onFold={fold}
                onNeeded={setNeeded}
              />
            )}
            {editing && selected && (
              <Editor
                key={JSON.stringify(editing)}
                selected={selected}
                mayEdit={mayEdit}
                initial={editing}
                onPlan={(planId) => setSelection((now) => now && withPlan(now, planId))}
                onSave={(draft, editor) => changes.save(selected, draft, editor)}
                onSaved={close}
                actions={(draft) => (
                  <EditorActions
                    maySave={mayEdit && draft !== null && hasTerms(draft)}
                    mayCopy={mayEdit && !selected.planId}
                    onSave={() => setDialog({ kind: 'seasons', draft })}
                    onCopy={() => setDialog({ kind: 'copy' })}
                  />
                )}
                onClose={() => ask(close)}
                onMissing={close}
              />
            )}
            {opened && openUnit && !editing && (
              <BookingPanel
                bar={opened}
                unit={openUnit}
                moveRefusal={refusalOf({ bar: opened, home: openUnit, unit: openUnit, from: opened.from })}
                onMove={() =>
                  setDialog({
                    kind: 'move',
                    target: { bar: opened, home: openUnit, unit: openUnit, from: opened.from },
                  })
                }
                onClose={close}
              />
            )}
          </div>
        )}
        {!isPhone && <Legend />}
        {panel.question}
        {dialog && (
          <CalendarDialogs
            dialog={dialog}
            selected={selected}
            units={units}
            data={data}
            today={today}
            mayEdit={mayEdit}
            onChanged={changes.show}
            onClose={() => setDialog(null)}
            onMissing={() => setDialog(null)}
          />
        )}
      </div>
    </ChannelsContext>
  )
}

const toggled = (known: ReadonlySet<string>, id: string): ReadonlySet<string> =>
  known.has(id) ? new Set([...known].filter((one) => one !== id)) : new Set([...known, id])
