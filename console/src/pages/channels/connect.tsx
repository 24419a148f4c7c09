import { useEffect, useRef, useState } from 'react'
import type { FormEvent } from 'react'
import { Button } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { checkChannelTarget, createChannelTarget } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { ButtonLink } from '../../components/button-link.tsx'
import { Check, Warning } from '../../components/icons.tsx'
import { Page } from '../../components/page.tsx'
import { fieldFaults, ProblemNote } from '../../components/problem-note.tsx'
import { Section } from '../../components/section.tsx'
import { UnsavedChanges } from '../../components/unsaved-changes.tsx'
import { useNavigateIfShown } from '../../components/use-navigate-if-shown.ts'
import { useMessages } from '../../i18n/language.tsx'
import { componentMessages } from '../../components/component-messages.ts'
import { useApi, useCaller, useSendOnce } from '../../session/api.tsx'
import {
  ConnectionFields,
  faultsByField,
  knownPointers,
  ProviderChoice,
  TimingFields,
} from './channel-fields.tsx'
import { configOf, defaultAddresses, emptyDraft, requiredFieldsOf } from './draft.ts'
import type { ChannelDraft } from './draft.ts'
import { formMessages } from './form-messages.ts'
import { channelMessages } from './messages.ts'
import { useHasDefaultPms, useRefreshChannels } from './use-channels.ts'
import form from '../../components/form.module.css'
import { Quoted, SyncError } from '../../components/sync-error.tsx'
import { useFailure } from '../../components/use-failure.ts'
import styles from './form.module.css'

const route = getRouteApi('/channels/new')
type ConnectionCheck = contract.ConnectionCheck

/** Units can be read from Channex and Hostaway only. */
const importDraft: ChannelDraft = {
  ...emptyDraft,
  provider: 'channex',
  base_url: defaultAddresses.channex,
}

/** Connects a PMS: only the fields that it needs, and a test before anything is saved. */
export const Connect = () => {
  const text = useMessages(formMessages)
  const words = useMessages(channelMessages)
  const common = useMessages(componentMessages)
  const api = useApi()
  const sendOnce = useSendOnce()
  const navigate = useNavigateIfShown()
  const isForImport = route.useSearch().then === 'import'
  const refresh = useRefreshChannels()
  const hasDefaultPms = useHasDefaultPms()
  const { may } = useCaller()
  const initial = isForImport ? importDraft : emptyDraft
  const [draft, setDraft] = useState(initial)
  const [tested, setTested] = useState<{ draft: ChannelDraft; check: ConnectionCheck } | null>(null)
  const check = tested?.draft === draft ? tested.check : null
  const [failure, setFailure] = useFailure()
  const [missing, setMissing] = useState<readonly (keyof ChannelDraft)[]>([])
  const [waiting, setWaiting] = useState<'test' | 'save' | null>(null)

  // A button loses the focus while it waits.
  const submitButton = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (check && document.activeElement === document.body) submitButton.current?.focus()
  }, [check])

  useEffect(() => {
    if (!failure) return
    const invalid = submitButton.current?.form?.querySelector<HTMLElement>('[aria-invalid=true]')
    // It may be in the part that was closed again.
    invalid?.closest('details')?.setAttribute('open', '')
    invalid?.focus()
  }, [failure])

  const change = (next: Partial<ChannelDraft>) => {
    setDraft((now) => ({ ...now, ...next }))
    setFailure(null)
    setMissing((now) => now.filter((name) => !(name in next)))
  }
  const run = async (step: 'test' | 'save', work: () => Promise<void>) => {
    const empty = requiredFieldsOf(draft.provider, hasDefaultPms).filter((name) => !draft[name].trim())
    setMissing(empty)
    const [first] = empty
    if (first) return document.querySelector<HTMLElement>(`[data-field=${first}] input`)?.focus()
    setWaiting(step)
    setFailure(null)
    try {
      await work()
    } catch (cause) {
      setFailure(cause)
    } finally {
      setWaiting(null)
    }
  }
  const test = () =>
    run('test', async () => {
      const body = { config: configOf(draft) }
      setTested({ draft, check: (await api.send(checkChannelTarget, { body })).connection_check })
    })
  const save = () =>
    run('save', async () => {
      const body = { channel_type: 'pms', name: draft.name.trim(), config: configOf(draft) } as const
      const { channel_target } = await sendOnce(createChannelTarget, { body })
      await refresh()
      const channelId = channel_target.id
      if (isForImport) await navigate({ to: '/import', search: { channel: channelId } })
      else await navigate({ to: '/channels/$channelId/link', params: { channelId } })
    })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void (check?.ok ? save() : test())
  }

  const faults = {
    ...faultsByField(fieldFaults(failure)),
    ...Object.fromEntries(missing.map((name) => [name, text('required')])),
  }
  const shared = { draft, faults, onChange: change }
  const reason = may('channel_targets:write') ? undefined : words('mayNotWrite')
  const forbidden = reason ? { disabled: true, title: reason } : {}
  return (
    <Page
      title={text('connectTitle')}
      width="narrow"
      back={
        isForImport
          ? { link: { to: '/import' }, place: text('import') }
          : { link: { to: '/channels' }, place: words('title') }
      }
    >
      <UnsavedChanges isDirty={draft !== initial && waiting !== 'save'} />
      <form noValidate onSubmit={submit}>
        <Section title={text('connection')}>
          <div className={form.form}>
            <ProviderChoice draft={draft} onChange={change} />
            <ConnectionFields {...shared} />
            <details className={styles.more}>
              <summary>{text('timing')}</summary>
              <div className={form.form}>
                <TimingFields {...shared} />
              </div>
            </details>
          </div>
        </Section>
        <CheckResult check={check} />
        <ProblemNote failure={failure} fields={knownPointers} />
        <div className={form.buttons}>
          <Button
            ref={submitButton}
            type="submit"
            loading={waiting === (check?.ok ? 'save' : 'test')}
            {...forbidden}
          >
            {text(check?.ok ? 'save' : 'test')}
          </Button>
          {check && !check.ok && (
            <Button variant="default" loading={waiting === 'save'} onClick={() => void save()} {...forbidden}>
              {text('saveAnyway')}
            </Button>
          )}
          <ButtonLink to={isForImport ? '/import' : '/channels'} variant="default">
            {common('cancel')}
          </ButtonLink>
        </div>
      </form>
    </Page>
  )
}

const CheckResult = ({ check }: { check: ConnectionCheck | null }) => {
  const text = useMessages(formMessages)
  if (!check) return null
  return (
    <div className={styles.result} data-ok={check.ok} role={check.ok ? 'status' : 'alert'}>
      {check.ok ? <Check /> : <Warning />}
      <div>
        {check.ok ? (
          <p>{text('works', { count: check.rooms ?? 0 })}</p>
        ) : (
          <>
            <p>
              <strong>{text('fails')}.</strong>{' '}
              <SyncError code={check.error_code} message={check.message} target="PMS" />
            </p>
            {check.hint && (
              <p>
                <Quoted>{check.hint}</Quoted>
              </p>
            )}
          </>
        )}
      </div>
    </div>
  )
}
