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
  if (error) return <ProblemNote failure={error} onRetry={() => void refetch()} />
  if (!data) return <TableSkeleton />
  const { settings } = data
  const { hold_minutes, cancellation_policy: policy } = settings.booking ?? {}
  const or = (value: string | undefined) => value ?? text('standard')
  return (
    <Section title={text('organization')}>
      <Facts>
        <Fact name={text('name')}>{data.name}</Fact>
        <Fact name={text('tier')} note={text('tierHint')}>
          {data.tier}
        </Fact>
        <Fact name={text('currency')}>{or(settings.default_currency?.toUpperCase())}</Fact>
        <Fact name={text('timezone')}>{or(settings.default_timezone)}</Fact>
        <Fact name={text('locale')}>{or(settings.locale)}</Fact>
        <Fact name={text('hold')}>
          {or(hold_minutes === undefined ? undefined : text('minutes', { count: hold_minutes }))}
        </Fact>
        <Fact name={text('freeUntil')}>
          {or(
            policy?.free_until_days === undefined
              ? undefined
              : text('daysBefore', { count: policy.free_until_days }),
          )}
        </Fact>
        <Fact name={text('refund')}>
          {or(policy?.refund_percent === undefined ? undefined : format.percent(policy.refund_percent / 100))}
        </Fact>
        <Fact name={text('retention')}>
          {or(
            settings.retention?.guest_days === undefined
              ? undefined
              : text('daysAfter', { count: settings.retention.guest_days }),
          )}
        </Fact>
      </Facts>
      <ChangedBy>{`npx vacancy org set ${data.id} --name "${data.name}" --hold-minutes 30`}</ChangedBy>
    </Section>
  )
}
