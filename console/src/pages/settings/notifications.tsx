import { useEffect, useRef, useState } from 'react'
import { Button, NativeSelect, Textarea } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import {
  getNotificationPreferences,
  listNotificationTemplates,
  replaceNotificationPreferences,
} from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { fieldFaults, ProblemNote } from '../../components/problem-note.tsx'
import { TableSkeleton } from '../../components/table-skeleton.tsx'
import { Section } from '../../components/section.tsx'
import { useToast } from '../../components/toast.tsx'
import { isVersionConflict } from '../../i18n/failure-text.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller } from '../../session/api.tsx'
import { notificationMessages } from './notification-messages.ts'
import styles from './settings.module.css'

type Preferences = contract.NotificationPreferences
type Kind = keyof Preferences['kinds']

const languages = { en: 'English', de: 'Deutsch', fr: 'Français', es: 'Español', pt: 'Português' }
const linesOf = (typed: string) =>
  typed
    .split(/[\n,;]/)
    .map((line) => line.trim())
    .filter(Boolean)

/** The recipients of each notification, by e-mail and by SMS. */
export const Notifications = () => {
  const text = useMessages(notificationMessages)
  const api = useApi()
  const toast = useToast()
  const queries = useQueryClient()
  const { may } = useCaller()
  const key = [getNotificationPreferences.path]
  const { data, error, refetch } = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const reply = await api.request(getNotificationPreferences, { signal })
      return { preferences: reply.data.notification_preferences, etag: reply.etag }
    },
  })
  const { data: templates } = useQuery({
    queryKey: [listNotificationTemplates.path],
    queryFn: async ({ signal }) =>
      (await api.send(listNotificationTemplates, { signal })).notification_templates,
    staleTime: Infinity,
  })
  const [edit, setEdit] = useState<Partial<Preferences>>({})
  const [failure, setFailure] = useState<unknown>(null)
  const [isSaving, setSaving] = useState(false)
  const form = useRef<HTMLDivElement>(null)
  // The button is below the field that is wrong, on a phone by two screens.
  useEffect(() => {
    if (failure) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [failure])
  if (error) return <ProblemNote failure={error} onRetry={() => void refetch()} />
  if (!data) return <TableSkeleton />

  const shown: Preferences = { ...data.preferences, ...edit }
  const change = (next: Partial<Preferences>) => {
    setFailure(null)
    setEdit((now) => ({ ...now, ...next }))
  }
  const isMandatory = (kind: string) =>
    templates?.some((template) => template.kind === kind && template.never_silent)
  const clean = (list: readonly string[]) => linesOf(list.join('\n'))
  const faults = fieldFaults(failure)
  /** The faults of a list, each with its line. */
  const faultsOf = (name: 'emails' | 'phones') =>
    clean(shown[name])
      .flatMap((line, index) =>
        faults[`${name}/${index}`] ? [`${line}: ${faults[`${name}/${index}`]}`] : [],
      )
      .join(' ')
  const save = async () => {
    setFailure(null)
    setSaving(true)
    try {
      await api.send(replaceNotificationPreferences, {
        ifMatch: data.etag,
        body: { ...shown, emails: clean(shown.emails), phones: clean(shown.phones) },
      })
      await queries.invalidateQueries({ queryKey: key })
      setEdit({})
      toast({ message: text('saved') })
    } catch (cause) {
      setFailure(isVersionConflict(cause) ? new Error(text('conflict')) : cause)
      if (isVersionConflict(cause)) await queries.invalidateQueries({ queryKey: key })
    } finally {
      setSaving(false)
    }
  }
  const reason = may('notifications:write') ? undefined : text('mayNot')
  return (
    <>
      <Section title={text('title')}>
        <div ref={form} className={styles.form}>
          <Textarea
            label={text('emails')}
            error={faultsOf('emails')}
            description={text('emailsHint')}
            rows={3}
            disabled={reason !== undefined}
            value={shown.emails.join('\n')}
            onChange={(event) => change({ emails: event.currentTarget.value.split('\n') })}
          />
          <Textarea
            label={text('phones')}
            error={faultsOf('phones')}
            description={text('phonesHint')}
            rows={2}
            disabled={reason !== undefined}
            value={shown.phones.join('\n')}
            onChange={(event) => change({ phones: event.currentTarget.value.split('\n') })}
          />
          <NativeSelect
            label={text('language')}
            disabled={reason !== undefined}
            value={shown.locale ?? ''}
            data={[
              { value: '', label: text('ofOrganization') },
              ...Object.entries(languages).map(([value, label]) => ({ value, label })),
            ]}
            onChange={(event) =>
              change({ locale: (event.currentTarget.value || null) as Preferences['locale'] })
            }
          />
          <label className={styles.check}>
            <input
              type="checkbox"
              disabled={reason !== undefined}
              checked={shown.guests}
              onChange={(event) => change({ guests: event.currentTarget.checked })}
            />
            {text('guests')}
          </label>
        </div>
      </Section>
      <Section title={text('what')}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">{text('what')}</th>
              <th scope="col" data-align="center">
                {text('email')}
              </th>
              <th scope="col" data-align="center">
                {text('sms')}
              </th>
            </tr>
          </thead>
          <tbody>
            {(Object.keys(shown.kinds) as Kind[]).map((kind) => (
              <tr key={kind}>
                <th scope="row">
                  {text(kind)} {isMandatory(kind) && <small>({text('mandatory')})</small>}
                </th>
                {(['email', 'sms'] as const).map((way) => (
                  <td key={way} data-align="center">
                    <input
                      type="checkbox"
                      aria-label={`${text(kind)}: ${text(way)}`}
                      disabled={reason !== undefined}
                      checked={shown.kinds[kind][way]}
                      onChange={(event) =>
                        change({
                          kinds: {
                            ...shown.kinds,
                            [kind]: { ...shown.kinds[kind], [way]: event.currentTarget.checked },
                          },
                        })
                      }
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Section>
      <ProblemNote
        failure={failure}
        fields={Object.keys(faults).filter((name) => /^(emails|phones)\//.test(name))}
      />
      <Button
        disabled={reason !== undefined || Object.keys(edit).length === 0}
        title={reason}
        loading={isSaving}
        onClick={() => void save()}
      >
        {text('save')}
      </Button>
    </>
  )
}
