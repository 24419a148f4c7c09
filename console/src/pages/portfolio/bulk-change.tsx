import { useState } from 'react'
import { NativeSelect } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { updateUnits } from '@vacancy/client'
import type { contract, Unit } from '@vacancy/client'

import { useBulkResult } from '../../components/bulk-result.ts'
import type { BulkFailure } from '../../components/bulk-result.ts'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import form from '../../components/form.module.css'
import { withMember } from '../../components/read-search.ts'
import { useMessages } from '../../i18n/language.tsx'
import { recordStatusMessages, unitTypeMessages } from '../../i18n/record-messages.ts'
import { useApi } from '../../session/api.tsx'
import { unitMessages } from '../units/messages.ts'
import { portfolioMessages } from './messages.ts'
import { useSpaces } from './use-portfolio-records.ts'

type Changes = contract.BulkUnitsInput['changes']

interface BulkChangeProps {
  units: readonly Unit[]
  onDone: (failures: BulkFailure[]) => void
  onClose: () => void
}

const statuses = ['active', 'inactive', 'maintenance', 'archived'] as const
const types = Object.keys(unitTypeMessages.en) as (keyof (typeof unitTypeMessages)['en'])[]

/** Gives several units the same status, space or type; each succeeds or fails on its own. */
export const BulkChange = ({ units, onDone, onClose }: BulkChangeProps) => {
  const text = useMessages(portfolioMessages)
  const word = useMessages(unitMessages)
  const statusText = useMessages(recordStatusMessages)
  const typeText = useMessages(unitTypeMessages)
  const api = useApi()
  const queries = useQueryClient()
  const report = useBulkResult()
  const spaces = useSpaces().data ?? []
  const [changes, setChanges] = useState<Changes>({})

  const change = async () => {
    const result = await api.send(updateUnits, { body: { unit_ids: units.map(({ id }) => id), changes } })
    await queries.invalidateQueries({ queryKey: ['units'] })
    onDone(await report(result, (id) => units.find((unit) => unit.id === id)?.name ?? ''))
  }
  const field = (name: 'status' | 'space_id' | 'type', options: { value: string; label: string }[]) => ({
    value: changes[name] ?? '',
    data: [{ value: '', label: text('leave') }, ...options],
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      setChanges((before) => withMember(before, name, value as Changes[typeof name])),
  })
  const statusOptions = statuses.map((value) => ({ value, label: statusText(value) }))
  const typeOptions = types.map((value) => ({ value, label: typeText(value) }))
  const spaceOptions = spaces
    .filter(({ status }) => status !== 'archived')
    .map(({ id, name }) => ({ value: id, label: name }))
  const title = text('changeUnits', { count: units.length })
  return (
    <ConfirmDialog
      title={title}
      action={title}
      isReady={Object.keys(changes).length > 0}
      onConfirm={change}
      onClose={onClose}
    >
      <div className={form.form}>
        <NativeSelect data-autofocus label={word('status')} {...field('status', statusOptions)} />
        <NativeSelect label={word('type')} {...field('type', typeOptions)} />
        <NativeSelect className={form.wide} label={word('space')} {...field('space_id', spaceOptions)} />
      </div>
      {changes.status === 'archived' && <p>{text('archiveText')}</p>}
    </ConfirmDialog>
  )
}
