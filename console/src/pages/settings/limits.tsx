import { useQuery } from '@tanstack/react-query'
import { getOrganization } from '@vacancy/client'

import { Fact, Facts, Section } from '../../components/section.tsx'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller } from '../../session/api.tsx'
import { withOrganization } from '../../session/organization.ts'
import { useSession } from '../../session/session.tsx'
import { settingsMessages } from './messages.ts'
import styles from './settings.module.css'

/** As in the reference: requests a minute of each tier. */
const limits = {
  limitRead: [100, 1_000, 10_000],
  limitWrite: [30, 300, 3_000],
  limitSearch: [30, 300, 3_000],
  limitBookings: [10, 100, 1_000],
} as const
const tiers = ['free', 'paid', 'enterprise'] as const

/** How many requests are allowed, and how many of them are left now. */
export const Limits = () => {
  const text = useMessages(settingsMessages)
  const format = useFormat()
  const api = useApi()
  const session = useSession()
  const { caller } = useCaller()
  const id = caller?.organization.id
  const { data: organization } = useQuery({
    queryKey: [getOrganization.path, id],
    queryFn: async ({ signal }) =>
      (await api.send(getOrganization, { path: { id: id as string }, signal })).organization,
    enabled: id !== undefined,
  })
  const { data: now } = useQuery({
    queryKey: ['rate-limit'],
    // Headers are not part of what the client returns.
    queryFn: async ({ signal }) => {
      const token = await session.token()
      const answer = await withOrganization(fetch)('/api/v1/units?limit=1', {
        headers: { authorization: `Bearer ${token ?? ''}` },
        signal,
      })
      const header = (name: string) => answer.headers.get(`x-ratelimit-${name}`)
      return {
        max: Number(header('limit')),
        remaining: Number(header('remaining')),
        resetsAt: header('reset') ?? new Date().toISOString(),
      }
    },
    refetchInterval: 30_000,
    staleTime: 0,
  })
  return (
    <>
      <Section title={text('limitNow')}>
        <p className={styles.quiet}>{text('limitsText')}</p>
        <Facts>
          <Fact
            name={text('limitRead')}
            note={
              now &&
              text('limitResets', {
                when: format.timeAgo(now.resetsAt, Date.now()),
              })
            }
          >
            {now && text('limitOf', { remaining: format.number(now.remaining), max: format.number(now.max) })}
          </Fact>
          <Fact name={text('budget')} note={text('budgetText')}>
            {format.number(1_000)}
          </Fact>
        </Facts>
      </Section>
      <Section title={text('perMinute')}>
        <div className={styles.scroll} tabIndex={0} role="group" aria-label={text('perMinute')}>
          <table className={styles.table}>
            <thead>
              <tr>
                <td />
                {tiers.map((tier) => (
                  <th key={tier} scope="col" data-align="end">
                    {text(tier)}
                    {organization?.tier === tier && ' ✓'}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {Object.entries(limits).map(([label, values]) => (
                <tr key={label}>
                  <th scope="row">{text(label as keyof typeof limits)}</th>
                  {values.map((value) => (
                    <td key={value} data-align="end">
                      {format.number(value)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </Section>
    </>
  )
}
