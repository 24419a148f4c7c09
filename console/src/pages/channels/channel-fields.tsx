import type { ReactNode } from 'react'
import { NativeSelect, TextInput } from '@mantine/core'

import { useMessages } from '../../i18n/language.tsx'
import { channelMessages } from './messages.ts'
import { defaultAddresses, hasAccount, hasProperty, providers, requiredFieldsOf } from './draft.ts'
import type { ChannelDraft, Provider, SecretName } from './draft.ts'
import { formMessages } from './form-messages.ts'
import { useHasDefaultPms } from './use-channels.ts'
import form from '../../components/form.module.css'
import styles from './form.module.css'

type Key = keyof (typeof formMessages)['en']

export interface FieldsProps {
  draft: ChannelDraft
  /** The fault of each field, by its name in the draft. */
  faults: Partial<Record<keyof ChannelDraft, string>>
  onChange: (change: Partial<ChannelDraft>) => void
}

/** What the API calls the fields of the form, to show each fault where it belongs. */
const pointers: Partial<Record<keyof ChannelDraft, readonly string[]>> = {
  name: ['name'],
  base_url: ['config/base_url'],
  property_ref: ['config/property_ref'],
  account_id: ['config/credentials/account_id'],
  api_key: ['config/credentials/api_key', 'config/credentials'],
  webhook_secret: ['config/credentials/webhook_secret'],
  rateRequests: ['config/rate_limit/requests'],
  rateSeconds: ['config/rate_limit/window_seconds'],
  timeoutSeconds: ['config/timeout_ms'],
  debounceSeconds: ['config/debounce_ms'],
  staleMinutes: ['config/stale_after_seconds'],
  schedule: ['config/full_sync_cron'],
}

export const knownPointers = Object.values(pointers).flat()

export const faultsByField = (byPointer: Partial<Record<string, string>>): FieldsProps['faults'] =>
  Object.fromEntries(
    Object.entries(pointers).flatMap(([field, names]) => {
      const message = names.map((name) => byPointer[name]).find(Boolean)
      return message ? [[field, message]] : []
    }),
  )

/** Which PMS it is; only a new channel can choose. */
export const ProviderChoice = ({ draft, onChange }: Pick<FieldsProps, 'draft' | 'onChange'>) => {
  const text = useMessages(formMessages)
  const words = useMessages(channelMessages)
  const choose = (provider: Provider) => {
    const isUntouched = draft.base_url === defaultAddresses[draft.provider]
    onChange({ provider, ...(isUntouched && { base_url: defaultAddresses[provider] }) })
  }
  return (
    <fieldset className={styles.providers}>
      <legend>{text('which')}</legend>
      {providers.map((provider) => (
        <label key={provider} className={styles.provider}>
          <input
            type="radio"
            name="provider"
            value={provider}
            checked={draft.provider === provider}
            onChange={() => choose(provider)}
          />
          <strong>{words(provider)}</strong>
          <span>{text(`${provider}Text`)}</span>
        </label>
      ))}
    </fieldset>
  )
}

interface ConnectionFieldsProps extends FieldsProps {
  /** The secrets that the channel has; they are not shown. */
  stored?: ReadonlySet<SecretName>
  removed?: ReadonlySet<SecretName>
  onRemove?: (name: SecretName, isRemoved: boolean) => void
}

/** The fields that the provider needs, each with where its value is found. */
export const ConnectionFields = (props: ConnectionFieldsProps) => {
  const { draft, faults, onChange, stored, removed, onRemove } = props
  const text = useMessages(formMessages)
  const { provider } = draft
  const hasDefaultPms = useHasDefaultPms()
  const required = requiredFieldsOf(provider, hasDefaultPms)
  const cap = (word: string) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`
  const hint = (field: string) => text(`${field}${cap(provider)}` as Key)

  const field = (
    name: keyof ChannelDraft,
    label: Key,
    description: string,
    isSecret = false,
    below: ReactNode = null,
  ) => (
    <TextInput
      inputContainer={(input) => (
        <div className={form.field}>
          {input}
          {below}
        </div>
      )}
      wrapperProps={{ 'data-field': name }}
      label={text(label)}
      description={description}
      error={faults[name]}
      required={required.includes(name) && !stored?.has(name as SecretName)}
      withAsterisk={false}
      type={isSecret ? 'password' : 'text'}
      autoComplete={isSecret ? 'new-password' : 'off'}
      spellCheck={false}
      maxLength={name === 'base_url' ? 2048 : isSecret ? 512 : 255}
      value={draft[name]}
      onChange={(event) => onChange({ [name]: event.currentTarget.value })}
    />
  )
  const secret = (name: SecretName, label: Key, description: string) => {
    const isStored = stored?.has(name) ?? false
    const isRemovable = isStored && !draft[name] && (name !== 'api_key' || provider === 'generic')
    const below = isRemovable && (
      <label className={styles.remove}>
        <input
          type="checkbox"
          checked={removed?.has(name) ?? false}
          onChange={(event) => onRemove?.(name, event.currentTarget.checked)}
        />
        {text('removeSecret')}
      </label>
    )
    return field(name, label, isStored ? text('stored') : description, true, below)
  }
  return (
    <>
      <div className={form.wide}>{field('name', 'name', text('nameHint'))}</div>
      <div className={form.wide}>
        {field(
          'base_url',
          'address',
          provider === 'generic' && hasDefaultPms ? text('addressDefault') : hint('address'),
        )}
      </div>
      {hasProperty(provider) && field('property_ref', 'property', hint('property'))}
      {hasAccount(provider) && field('account_id', 'account', text('accountHint'))}
      {secret('api_key', 'key', hint('key'))}
      <div className={form.wide}>{secret('webhook_secret', 'webhookSecret', text('webhookSecretHint'))}</div>
    </>
  )
}

const schedules = { scheduleNever: '', scheduleDaily: '0 3 * * *', scheduleWeekly: '0 3 * * 1' } as const
const customSchedule = '30 2 * * *'

/** How fast changes go out, how many calls are allowed, and when everything is sent again. */
export const TimingFields = ({ draft, faults, onChange }: FieldsProps) => {
  const text = useMessages(formMessages)
  const number = (name: keyof ChannelDraft, label: Key, description?: Key) => (
    <TextInput
      label={text(label)}
      description={description && text(description)}
      error={faults[name]}
      inputMode="decimal"
      autoComplete="off"
      value={draft[name]}
      onChange={(event) => onChange({ [name]: event.currentTarget.value.trim() })}
    />
  )
  const known = Object.values<string>(schedules)
  const isCustom = !known.includes(draft.schedule)
  return (
    <>
      {number('debounceSeconds', 'debounce', 'debounceHint')}
      {number('staleMinutes', 'stale', 'staleHint')}
      {number('rateRequests', 'rateRequests', 'rateRequestsHint')}
      {number('rateSeconds', 'rateSeconds', 'rateRequestsHint')}
      {number('timeoutSeconds', 'timeout', 'timeoutHint')}
      <NativeSelect
        label={text('schedule')}
        description={text('optional')}
        value={isCustom ? 'custom' : draft.schedule}
        data={[
          ...Object.entries(schedules).map(([label, value]) => ({ value, label: text(label as Key) })),
          { value: 'custom', label: text('scheduleCustom') },
        ]}
        onChange={({ currentTarget: { value } }) =>
          onChange({ schedule: value === 'custom' ? customSchedule : value })
        }
      />
      {isCustom && (
        <TextInput
          className={form.wide}
          label={text('cron')}
          error={faults.schedule}
          value={draft.schedule}
          onChange={(event) => onChange({ schedule: event.currentTarget.value })}
        />
      )}
    </>
  )
}
