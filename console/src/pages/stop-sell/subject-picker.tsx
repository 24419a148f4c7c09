import { useMemo, useState } from 'react'
import type { Unit } from '@vacancy/client'

import { SearchField } from '../../components/filters.tsx'
import { fold } from '../../i18n/fold.ts'
import { useMessages } from '../../i18n/language.tsx'
import { usePlaces } from '../bookings/use-places.ts'
import { useAllUnits } from '../portfolio/use-portfolio-records.ts'
import { maxChosen } from './filter.ts'
import type { StopScope } from './filter.ts'
import { stopMessages } from './messages.ts'
import styles from './stop-form.module.css'

interface SubjectPickerProps {
  scope: Exclude<StopScope, 'everything'>
  chosen: readonly string[]
  onChange: (ids: readonly string[]) => void
}

interface Option {
  id: string
  name: string
  place: string
}

/** As many as a person looks through; the search finds the others. */
const maxShown = 50

/** One channel, or several spaces or units, found by name. */
export const SubjectPicker = ({ scope, chosen, onChange }: SubjectPickerProps) => {
  const text = useMessages(stopMessages)
  const [search, setSearch] = useState('')
  const options = useOptions(scope)
  const isSingle = scope === 'channel'
  const isFull = !isSingle && chosen.length >= maxChosen
  const words = fold(search.trim())
  const found = options.filter(({ name, place }) => fold(`${name} ${place}`).includes(words))
  // What is chosen stays in sight whatever is searched for.
  const listed = [
    ...options.filter(({ id }) => chosen.includes(id) && !found.some((one) => one.id === id)),
    ...found,
  ]
  const shown = listed.slice(0, maxShown)
  const toggle = (id: string) => {
    if (isSingle) onChange([id])
    else onChange(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id])
  }
  return (
    <div className={styles.picker}>
      <div className={styles.pickerHead}>
        {options.length > 6 && <SearchField label={text('find')} value={search} onChange={setSearch} />}
        <span className={styles.count} role="status">
          {isFull ? text('tooMany', { max: maxChosen }) : text('chosen', { count: chosen.length })}
        </span>
      </div>
      <fieldset className={styles.options} aria-label={text(scope)}>
        {shown.map(({ id, name, place }) => {
          const isChosen = chosen.includes(id)
          return (
            <label key={id} className={styles.option}>
              <input
                type={isSingle ? 'radio' : 'checkbox'}
                name="subject"
                checked={isChosen}
                disabled={isFull && !isChosen}
                onChange={() => toggle(id)}
              />
              <span className={styles.optionName}>
                {name}
                {place && <span>{place}</span>}
              </span>
            </label>
          )
        })}
        {listed.length === 0 && (
          <p className={styles.noOption}>{text(options.length > 0 ? 'noneFound' : 'noneYet')}</p>
        )}
        {listed.length > maxShown && (
          <p className={styles.noOption}>{text('moreFound', { count: listed.length - maxShown })}</p>
        )}
      </fieldset>
    </div>
  )
}

const noUnits: Unit[] = []

const useOptions = (scope: SubjectPickerProps['scope']): readonly Option[] => {
  const { spaces, targets, spaceOf } = usePlaces()
  const { data: units = noUnits } = useAllUnits(scope === 'unit')
  return useMemo(() => {
    const option = ({ id, name }: { id: string; name: string }, place = ''): Option => ({ id, name, place })
    const options = {
      channel: () => targets.map((target) => option(target)),
      space: () => spaces.map((space) => option(space, space.address ?? '')),
      unit: () => units.map((unit) => option(unit, spaceOf(unit.space_id)?.name)),
    }[scope]()
    return options.sort((one, other) => one.name.localeCompare(other.name, undefined, { numeric: true }))
  }, [scope, spaces, units, targets])
}
