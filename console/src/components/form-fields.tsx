import { useId } from 'react'
import { Input, NativeSelect, TextInput } from '@mantine/core'

import { useMessages } from '../i18n/language.tsx'
import { componentMessages } from './component-messages.ts'
import type { Draft, RecordForm } from './record-form.ts'
import styles from './form.module.css'

interface FieldProps<D extends Draft> {
  form: RecordForm<D>
  name: keyof D & string
  label: string
  description?: string | undefined
  isWide?: boolean
}

/** What all fields have: value, fault, and what somebody else made of it meanwhile. */
const useField = <D extends Draft>(props: FieldProps<D>, wordOf = (value: string) => value) => {
  const { form, name, label, description, isWide } = props
  const text = useMessages(componentMessages)
  const others = form.othersValue(name)
  const othersText =
    others === undefined ? undefined : others ? text('nowIs', { value: wordOf(others) }) : text('nowEmpty')
  return {
    name,
    label,
    description,
    error: form.faultOf(name) ?? othersText,
    value: form.draft[name],
    className: isWide ? styles.wide : '',
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      form.change({ [name]: value } as Partial<D>),
  }
}

interface TextFieldProps<D extends Draft> extends FieldProps<D> {
  type?: 'text' | 'url' | 'email' | 'tel'
  maxLength?: number
  placeholder?: string
  autoFocus?: boolean
}

export const TextField = <D extends Draft>(props: TextFieldProps<D>) => {
  const { type = 'text', maxLength = 255, placeholder, autoFocus } = props
  return (
    <TextInput
      {...useField(props)}
      type={type}
      maxLength={maxLength}
      placeholder={placeholder}
      autoComplete="off"
      data-autofocus={autoFocus}
    />
  )
}

/** A figure, with what it is counted in at its end. */
export const NumberField = <D extends Draft>(props: FieldProps<D> & { unit?: string }) => {
  const { className, ...field } = useField(props)
  return (
    <TextInput
      {...field}
      className={`${className} ${styles.figure} ${props.description ? '' : styles.short}`}
      inputMode="decimal"
      autoComplete="off"
      maxLength={16}
      rightSection={props.unit}
      rightSectionWidth={props.unit ? 52 : undefined}
      rightSectionPointerEvents="none"
    />
  )
}

/** A longer text; the browser makes it as tall as what is in it. */
export const TextAreaField = <D extends Draft>(props: FieldProps<D> & { maxLength: number }) => {
  const { label, description, error, className, ...field } = useField(props)
  const id = useId()
  return (
    <Input.Wrapper id={id} label={label} description={description} error={error} className={className}>
      <textarea
        {...field}
        id={id}
        className={styles.area}
        rows={3}
        maxLength={props.maxLength}
        aria-invalid={error !== undefined}
      />
    </Input.Wrapper>
  )
}

interface ChoiceFieldProps<D extends Draft> extends FieldProps<D> {
  options: readonly { value: string; label: string }[]
}

export const ChoiceField = <D extends Draft>(props: ChoiceFieldProps<D>) => {
  const { options } = props
  const field = useField(props, (value) => options.find((one) => one.value === value)?.label ?? value)
  return <NativeSelect {...field} data={[...options]} />
}
