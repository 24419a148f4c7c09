import { useQuery } from '@tanstack/react-query'
import { getOrganization } from '@vacancy/client'

import { ProblemNote } from '../../components/problem-note.tsx'
import { TableSkeleton } from '../../components/table-skeleton.tsx'
import { Fact, Facts, Section } from '../../components/section.tsx'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller } from '../../session/api.tsx'
import { ChangedBy } from './command.tsx'
import { settingsMessages } from './messages.ts'

/** What holds for the whole organization; it is changed by a command. */
export const Organization = () => {
  const text = useMessages(settingsMessages)
  const format = useFormat()
  const api = useApi()
  const { caller } = useCaller()
  const id = caller?.organization.id
  const { data, error, refetch } = useQuery({
    queryKey: [getOrganization.path, id],
    queryFn: async ({ signal }) =>
      (await api.send(getOrganization, { path: { id: id as string }, signal })).organization,
    enabled: id !== undefined,
  })
  if (!data) return error ? <ProblemNote failure={error} onRetry={() => void refetch()} /> : <TableSkeleton />
  const { settings } = data
  const { hold_minutes, cancellation_policy: policy } = settings.booking ?? {}
  const days = settings.retention?.guest_days
  return (
    <Section title={text('organization')}>
      <Facts>
        <Fact name={text('name')}>{data.name}</Fact>
        <Fact name={text('tier')} note={text('tierHint')}>
          {text(data.tier as 'free')}
        </Fact>
        <Setting name={text('currency')} value={settings.default_currency} standard="usd">
          {(currency) => currency.toUpperCase()}
        </Setting>
        <Setting name={text('timezone')} value={settings.default_timezone} standard="UTC" />
        <Setting name={text('locale')} value={settings.locale} standard="en">
          {format.language}
        </Setting>
        <Setting name={text('hold')} value={hold_minutes} standard={30}>
          {(count) => text('minutes', { count })}
        </Setting>
        <Setting name={text('freeUntil')} value={policy?.free_until_days} standard={1}>
          {(count) => text('daysBefore', { count })}
        </Setting>
        <Setting name={text('refund')} value={policy?.refund_percent} standard={0}>
          {(percent) => format.percent(percent / 100)}
        </Setting>
        <Fact name={text('retention')}>
          {days === undefined ? text('retentionOfAll') : text('daysAfter', { count: days })}
        </Fact>
      </Facts>
      <ChangedBy>{`npx vacancy org set ${data.id} --name "${data.name}" --hold-minutes 30`}</ChangedBy>
    </Section>
  )
}

interface SettingProps<Value> {
  name: string
  value: Value | undefined
  /** What applies when nothing is set, as the contract describes it. */
  standard: Value
  children?: (value: Value) => string
}

const Setting = <Value extends string | number>({ name, value, standard, children }: SettingProps<Value>) => {
  const text = useMessages(settingsMessages)
  const shown = value ?? standard
  return (
    <Fact name={name} note={value === undefined && text('standard')}>
      {children ? children(shown) : shown}
    </Fact>
  )
}
