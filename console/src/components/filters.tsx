import { useId, useState } from 'react'
import type { ReactNode, Ref } from 'react'
import { CloseButton, TextInput } from '@mantine/core'

import { useMessages } from '../i18n/language.tsx'
import { componentMessages } from './component-messages.ts'
import { DateInput } from './date-input.tsx'
import { Search, Sliders } from './icons.tsx'
import { useTypedValue } from './use-typed-value.ts'
import styles from './filters.module.css'

interface FilterBarProps {
  search: ReactNode
  /** How many filters are set. */
  count: number
  children: ReactNode
}

/** The filters of a list; on a phone all but the search are behind a button. */
export const FilterBar = ({ search, count, children }: FilterBarProps) => {
  const text = useMessages(componentMessages)
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  return (
    <>
      {search}
      <button
        type="button"
        className={styles.toggle}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <Sliders />
        {text('filters')}
        {count > 0 && <b>{count}</b>}
      </button>
      <div id={id} className={styles.fields} data-open={isOpen || undefined}>
        {children}
      </div>
    </>
  )
}

interface SearchFieldProps {
  label: string
  placeholder?: string
  value: string | undefined
  onChange: (value: string) => void
  ref?: Ref<HTMLInputElement>
  /** Shown while the field is empty: the key that leads here. */
  hint?: ReactNode
}

/** The search of a list; Escape empties it. */
export const SearchField = ({ label, placeholder, value = '', onChange, ref, hint }: SearchFieldProps) => {
  const text = useMessages(componentMessages)
  const typed = useTypedValue(value)
  return (
    <TextInput
      ref={ref}
      className={styles.search}
      type="text"
      role="searchbox"
      aria-label={label}
      placeholder={placeholder ?? label}
      leftSection={<Search />}
      rightSection={
        value ? <CloseButton size="sm" aria-label={text('clearSearch')} onClick={() => onChange('')} /> : hint
      }
      {...typed}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        onChange('')
        event.currentTarget.blur()
      }}
    />
  )
}

interface SelectFieldProps<T extends string> {
  label: string
  value: T | undefined
  options: readonly { value: T; label: string }[]
  onChange: (value: T | undefined) => void
}

/** One choice of a filter; the first option is all. */
export const SelectField = <T extends string>({ label, value, options, onChange }: SelectFieldProps<T>) => {
  const text = useMessages(componentMessages)
  return (
    <select
      className={styles.field}
      aria-label={label}
      title={label}
      value={value ?? ''}
      data-set={value !== undefined}
      onChange={({ currentTarget }) =>
        onChange(options.find((option) => option.value === currentTarget.value)?.value)
      }
    >
      <option value="">{`${label}: ${text('all')}`}</option>
      {/* What it is set to may not have been read yet, or be gone. */}
      {value !== undefined && !options.some((option) => option.value === value) && (
        <option value={value}>{`${label}: –`}</option>
      )}
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  )
}

interface DateFieldProps {
  label: string
  value: string | undefined
  min?: string
  /** Whether the value restricts what is shown; a default does not. */
  isSet?: boolean
  onChange: (value: string | undefined) => void
}

/** A date of a filter, with its label before it. */
export const DateField = ({ label, value, min, isSet = value !== undefined, onChange }: DateFieldProps) => (
  <label className={styles.date}>
    <span>{label}</span>
    <DateInput
      className={styles.field}
      data-set={isSet}
      {...(min && { min })}
      value={value ?? ''}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
    />
  </label>
)

/** Two dates that belong together: they stay on one line. */
export const DateRange = ({ children }: { children: ReactNode }) => (
  <div className={styles.range}>{children}</div>
)
