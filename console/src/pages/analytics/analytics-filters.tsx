import { getRouteApi } from '@tanstack/react-router'

import { DateField, DateRange, SelectField } from '../../components/filters.tsx'
import { withMember } from '../../components/read-search.ts'
import { useSpaces } from '../../components/use-spaces.ts'
import { useMessages } from '../../i18n/language.tsx'
import { analyticsMessages } from './messages.ts'
import { groupings, presets } from './period.ts'
import type { AnalyticsSearch, Grouping, Period, Preset } from './period.ts'
import styles from './analytics.module.css'

const route = getRouteApi('/analytics')

/** What is shown of whom and how; all of it is in the address. */
export const AnalyticsFilters = ({ period, by }: { period: Period; by: Grouping }) => {
  const text = useMessages(analyticsMessages)
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const spaces = useSpaces()
  const show = (next: AnalyticsSearch) => void navigate({ search: next, replace: true })
  const hasOwnDates = search.from !== undefined || search.to !== undefined
  const setDate = (name: 'from' | 'to', date: string | undefined) => {
    if (!date) return
    const { period: _, ...rest } = search
    // A date that is still being typed may be on the other side of the other one, which stays as it was chosen.
    show({ ...period, ...rest, [name]: date })
  }
  return (
    <>
      <select
        className={styles.select}
        aria-label={text('period')}
        title={text('period')}
        value={hasOwnDates ? 'own' : (search.period ?? 'last-30')}
        onChange={({ currentTarget: { value } }) => {
          const { from: _from, to: _to, ...rest } = search
          show(
            withMember(
              rest,
              'period',
              presets.find((one) => one === value),
            ),
          )
        }}
      >
        {(['last-30', ...presets] as const satisfies ('last-30' | Preset)[]).map((one) => (
          <option key={one} value={one}>
            {text(one)}
          </option>
        ))}
        {hasOwnDates && <option value="own">{text('own')}</option>}
      </select>
      <DateRange>
        <DateField
          label={text('from')}
          value={period.from}
          isSet={hasOwnDates}
          onChange={(date) => setDate('from', date)}
        />
        <DateField
          label={text('to')}
          value={period.to}
          isSet={hasOwnDates}
          onChange={(date) => setDate('to', date)}
        />
      </DateRange>
      <select
        className={styles.select}
        aria-label={text('by')}
        title={text('by')}
        value={by}
        onChange={({ currentTarget: { value } }) =>
          show(
            withMember(
              search,
              'by',
              groupings.find((one) => one === value),
            ),
          )
        }
      >
        {groupings.map((one) => (
          <option key={one} value={one}>
            {text(one)}
          </option>
        ))}
      </select>
      <SelectField
        label={text('space')}
        value={search.space}
        options={spaces.map(({ id, name }) => ({ value: id, label: name }))}
        onChange={(space) => show(withMember(search, 'space', space))}
      />
      <label className={styles.compare}>
        <input
          type="checkbox"
          checked={search.compare === true}
          onChange={({ currentTarget }) =>
            show(withMember(search, 'compare', currentTarget.checked || undefined))
          }
        />
        {text('compare')}
      </label>
    </>
  )
}
