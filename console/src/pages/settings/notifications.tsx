import { useQuery, useQueryClient } from '@tanstack/react-query'
import {
  getNotificationPreferences,
  listNotificationTemplates,
  replaceNotificationPreferences,
} from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { ChoiceField, TextAreaField } from '../../components/form-fields.tsx'
import { FormFrame } from '../../components/form-frame.tsx'
import { InvalidFields } from '../../components/invalid-fields.ts'
import { fieldFaults, ProblemNote } from '../../components/problem-note.tsx'
import { useRecordForm } from '../../components/record-form.ts'
import { TableSkeleton } from '../../components/table-skeleton.tsx'
import { Section } from '../../components/section.tsx'
import { useToast } from '../../components/toast.tsx'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller } from '../../session/api.tsx'
import { notificationMessages } from './notification-messages.ts'
import styles from './settings.module.css'

type Preferences = contract.NotificationPreferences
type Kind = keyof Preferences['kinds']

const languages = { en: 'English', de: 'Deutsch', fr: 'Français', es: 'Español', pt: 'Português' }
const ways = ['email', 'sms'] as const
const lists = ['emails', 'phones'] as const
const maxListLength = 10_000

/** The recipients of each notification, by e-mail and by SMS. */
export const Notifications = () => {
  const api = useApi()
  const { data, error, refetch } = useQuery({
    queryKey: [getNotificationPreferences.path],
    queryFn: async ({ signal }) => {
      const reply = await api.request(getNotificationPreferences, { signal })
      return { preferences: reply.data.notification_preferences, etag: reply.etag }
    },
  })
  if (!data) return error ? <ProblemNote failure={error} onRetry={() => void refetch()} /> : <TableSkeleton />
  return <PreferencesForm {...data} />
}

interface PreferencesFormProps {
  preferences: Preferences
  etag: string | null
}

const PreferencesForm = ({ preferences, etag }: PreferencesFormProps) => {
  const text = useMessages(notificationMessages)
  const api = useApi()
  const toast = useToast()
  const queries = useQueryClient()
  const { may } = useCaller()
  const { data: templates } = useQuery({
    queryKey: [listNotificationTemplates.path],
    queryFn: async ({ signal }) =>
      (await api.send(listNotificationTemplates, { signal })).notification_templates,
    staleTime: Infinity,
  })
  const kinds = Object.keys(preferences.kinds) as Kind[]
  const form = useRecordForm({
    current: draftOf(preferences),
    etag,
    refresh: () => queries.invalidateQueries({ queryKey: [getNotificationPreferences.path] }),
    save: async (draft, _changed, ifMatch) => {
      const body = preferencesOf(draft, kinds)
      await api.send(replaceNotificationPreferences, { body, ifMatch }).catch((failure: unknown) => {
        throw withLines(failure, body)
      })
      toast({ message: text('saved') })
    },
  })
  const isMandatory = (kind: string) =>
    templates?.some((template) => template.kind === kind && template.never_silent)
  const check = (name: string) => ({
    type: 'checkbox',
    checked: form.draft[name] === 'true',
    onChange: ({ currentTarget }: { currentTarget: { checked: boolean } }) =>
      form.change({ [name]: String(currentTarget.checked) }),
  })
  return (
    <FormFrame form={form} refusal={may('notifications:write') ? undefined : text('mayNot')}>
      <Section title={text('title')}>
        <div className={styles.form}>
          {lists.map((name) => (
            <TextAreaField
              key={name}
              form={form}
              name={name}
              label={text(name)}
              description={text(`${name}Hint`)}
              maxLength={maxListLength}
            />
          ))}
          <ChoiceField
            form={form}
            name="locale"
            label={text('language')}
            options={[
              { value: '', label: text('ofOrganization') },
              ...Object.entries(languages).map(([value, label]) => ({ value, label })),
            ]}
          />
          <label className={styles.check}>
            <input {...check('guests')} />
            {text('guests')}
          </label>
        </div>
      </Section>
      <Section title={text('what')}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">{text('what')}</th>
              {ways.map((way) => (
                <th key={way} scope="col" data-align="center">
                  {text(way)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {kinds.map((kind) => (
              <tr key={kind}>
                <th scope="row">
                  {text(kind)} {isMandatory(kind) && <small>({text('mandatory')})</small>}
                </th>
                {ways.map((way) => (
                  <td key={way} data-align="center">
                    <input {...check(`${kind} ${way}`)} aria-label={`${text(kind)}: ${text(way)}`} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Section>
    </FormFrame>
  )
}

type PreferencesDraft = Record<string, string> & Record<'emails' | 'phones' | 'locale' | 'guests', string>

/** Each box is a field of its own, so that what a colleague changes of another one is kept. */
const draftOf = ({ emails, phones, locale, guests, kinds }: Preferences): PreferencesDraft => ({
  ...Object.fromEntries(
    Object.entries(kinds).flatMap(([kind, on]) => ways.map((way) => [`${kind} ${way}`, String(on[way])])),
  ),
  emails: emails.join('\n'),
  phones: phones.join('\n'),
  locale: locale ?? '',
  guests: String(guests),
})

const preferencesOf = (draft: PreferencesDraft, kinds: readonly Kind[]): Preferences => ({
  emails: linesOf(draft.emails),
  phones: linesOf(draft.phones),
  locale: (draft.locale || null) as Preferences['locale'],
  guests: draft.guests === 'true',
  kinds: Object.fromEntries(
    kinds.map((kind) => [
      kind,
      Object.fromEntries(ways.map((way) => [way, draft[`${kind} ${way}`] === 'true'])),
    ]),
  ) as Preferences['kinds'],
})

const linesOf = (typed: string) =>
  typed
    .split(/[\n,;]/)
    .map((line) => line.trim())
    .filter(Boolean)

/** The faults of lines as those of their lists, each with its line; a failure that has others stays as it is. */
const withLines = (failure: unknown, body: Preferences): unknown => {
  const faults = Object.entries(fieldFaults(failure))
  const ofLines = lists.flatMap((name) => {
    const own = faults.filter(([pointer]) => pointer.startsWith(`${name}/`))
    const words = own.map(([pointer, fault]) => `${body[name][Number(pointer.split('/')[1])]}: ${fault}`)
    return own.length > 0 ? [{ name, words: words.join(' '), count: own.length }] : []
  })
  const count = ofLines.reduce((sum, list) => sum + list.count, 0)
  if (count === 0 || count < faults.length) return failure
  return new InvalidFields(Object.fromEntries(ofLines.map(({ name, words }) => [name, words])))
}
