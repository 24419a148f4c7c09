import { useState } from 'react'
import type { FormEvent } from 'react'
import { Button } from '@mantine/core'
import { replaceChannelTarget } from '@vacancy/client'
import type { ChannelTarget } from '@vacancy/client'

import { fieldFaults, ProblemNote } from '../../components/problem-note.tsx'
import { differing } from '../../components/record-form.ts'
import { Section } from '../../components/section.tsx'
import { useToast } from '../../components/toast.tsx'
import { UnsavedChanges } from '../../components/unsaved-changes.tsx'
import { isVersionConflict } from '../../i18n/failure-text.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller } from '../../session/api.tsx'
import { ConnectionFields, faultsByField, knownPointers, TimingFields } from './channel-fields.tsx'
import { configOf, draftOf, secretNames } from './draft.ts'
import type { ChannelDraft, SecretName } from './draft.ts'
import { formMessages } from './form-messages.ts'
import { channelMessages } from './messages.ts'
import { useRefreshChannels } from './use-channels.ts'
import form from '../../components/form.module.css'
import { useFailure } from '../../components/use-failure.ts'
import styles from './form.module.css'

interface ChannelSettingsProps {
  target: ChannelTarget
  etag: string | null
}

/** The settings of a channel; secrets can be replaced or removed, never read. */
export const ChannelSettings = ({ target, etag }: ChannelSettingsProps) => {
  const text = useMessages(formMessages)
  const words = useMessages(channelMessages)
  const api = useApi()
  const toast = useToast()
  const { may } = useCaller()
  const refresh = useRefreshChannels()
  /** What was typed, and the version that it was typed over. The other fields follow what somebody else changes. */
  const [edit, setEdit] = useState<{ typed: Partial<ChannelDraft>; etag: string | null } | null>(null)
  const [removed, setRemoved] = useState<ReadonlySet<SecretName>>(new Set())
  const [failure, setFailure] = useFailure()
  const [isSaving, setSaving] = useState(false)

  const draft = { ...draftOf(target), ...edit?.typed }
  const change = (next: Partial<ChannelDraft>) => {
    setEdit({ typed: { ...edit?.typed, ...next }, etag: edit?.etag ?? etag })
    setFailure(null)
  }
  const remove = (name: SecretName, isRemoved: boolean) => {
    setRemoved((now) => new Set(isRemoved ? [...now, name] : [...now].filter((one) => one !== name)))
    change({})
  }
  const discard = () => {
    setEdit(null)
    setRemoved(new Set())
    setFailure(null)
  }
  const isConflict = isVersionConflict(failure)
  // Saving after the conflict was shown replaces what was typed here, and nothing else.
  if (isConflict && edit && edit.etag !== etag) setEdit({ ...edit, etag })
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!edit || isSaving) return
    setSaving(true)
    setFailure(null)
    try {
      const { etag: savedEtag } = await api.request(replaceChannelTarget, {
        path: { id: target.id },
        ifMatch: edit.etag,
        body: {
          channel_type: 'pms',
          name: draft.name.trim(),
          config: configOf(draft, target.config, removed),
          status: target.status,
        },
      })
      await refresh()
      // What was typed while it was being saved is not saved yet.
      setEdit((now) =>
        !now || now === edit ? null : { typed: differing(now.typed, edit.typed), etag: savedEtag },
      )
      setRemoved((now) => (now === removed ? new Set() : now))
      toast({ message: text('saved') })
    } catch (cause) {
      setFailure(cause)
      if (isVersionConflict(cause)) await refresh()
    } finally {
      setSaving(false)
    }
  }

  const stored = new Set(secretNames.filter((name) => target.config.credentials?.[name] !== undefined))
  const shared = { draft, faults: faultsByField(fieldFaults(failure)), onChange: change }
  const reason = may('channel_targets:write') ? undefined : words('mayNotWrite')
  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <UnsavedChanges isDirty={edit !== null} />
      <Section title={text('connection')}>
        <fieldset className={form.plain} disabled={reason !== undefined} title={reason}>
          <div className={form.form}>
            <ConnectionFields {...shared} stored={stored} removed={removed} onRemove={remove} />
          </div>
        </fieldset>
      </Section>
      <Section title={text('timing')}>
        <fieldset className={form.plain} disabled={reason !== undefined} title={reason}>
          <div className={form.form}>
            <TimingFields {...shared} />
          </div>
        </fieldset>
      </Section>
      <div className={form.foot}>
        {isConflict ? (
          <p className={styles.result} data-ok="false" role="alert">
            {text('conflict')}
            <Button size="compact-sm" variant="default" onClick={discard}>
              {text('reload')}
            </Button>
          </p>
        ) : (
          <ProblemNote failure={failure} fields={knownPointers} />
        )}
        {edit && (
          <div className={form.savebar} role="region" aria-label={text('saveChanges')}>
            <span className={styles.quiet}>{text('savedText')}</span>
            <Button variant="default" onClick={discard}>
              {text('discard')}
            </Button>
            <Button type="submit" loading={isSaving}>
              {text('saveChanges')}
            </Button>
          </div>
        )}
      </div>
    </form>
  )
}
