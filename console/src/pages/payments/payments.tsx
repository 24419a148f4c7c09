import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { listPaymentTotals } from '@vacancy/client'

import { SelectField } from '../../components/filters.tsx'
import { Page } from '../../components/page.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { withMember } from '../../components/read-search.ts'
import { SavedViews } from '../../components/saved-views.tsx'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi } from '../../session/api.tsx'
import { paymentMessages } from '../bookings/payment-messages.ts'
import { ExportPayments } from './export-payments.tsx'
import { paymentStatuses, refundStatuses } from './filter.ts'
import type { LedgerFilter } from './filter.ts'
import { ledgerMessages } from './ledger-messages.ts'
import { PaymentTable } from './payment-table.tsx'
import { RefundTable } from './refund-table.tsx'
import figures from '../../components/figures.module.css'
import styles from './payments.module.css'

const route = getRouteApi('/payments')

/** What guests paid and what went back, with the sums of each currency. */
export const Payments = () => {
  const text = useMessages(ledgerMessages)
  const word = useMessages(paymentMessages)
  const filter = route.useSearch()
  const navigate = route.useNavigate()
  const setFilter = (next: LedgerFilter) => void navigate({ search: next, replace: true })
  const { view, status, refund } = filter
  return (
    <Page
      title={text('title')}
      actions={<ExportPayments filter={filter} />}
      filters={
        <>
          <div className={styles.views} role="group" aria-label={text('view')}>
            <Button variant="default" aria-pressed={!view} onClick={() => setFilter({})}>
              {text('payments')}
            </Button>
            <Button
              variant="default"
              aria-pressed={view === 'refunds'}
              onClick={() => setFilter({ view: 'refunds' })}
            >
              {text('refunds')}
            </Button>
          </div>
          {view ? (
            <SelectField
              label={text('status')}
              value={refund}
              options={refundStatuses.map((one) => ({ value: one, label: word(`refund_${one}`) }))}
              onChange={(next) => setFilter(withMember(filter, 'refund', next))}
            />
          ) : (
            <SelectField
              label={text('status')}
              value={status}
              options={paymentStatuses.map((one) => ({ value: one, label: word(one) }))}
              onChange={(next) => setFilter(withMember(filter, 'status', next))}
            />
          )}
        </>
      }
      views={<SavedViews screen="payments" filter={filter} onFilter={setFilter} />}
    >
      <Totals />
      {view ? (
        <RefundTable status={refund} />
      ) : (
        <PaymentTable status={status} onClear={() => setFilter({})} />
      )}
    </Page>
  )
}

const Totals = () => {
  const text = useMessages(ledgerMessages)
  const format = useFormat()
  const api = useApi()
  const {
    data: totals,
    error,
    refetch,
  } = useQuery({
    queryKey: [listPaymentTotals.path],
    queryFn: async ({ signal }) => (await api.send(listPaymentTotals, { signal })).payment_totals,
  })
  const failed = (totals ?? []).reduce((sum, one) => sum + one.failed, 0)
  return (
    <>
      <ProblemNote failure={error} onRetry={() => void refetch()} />
      {failed > 0 && (
        <p className={styles.failed} role="alert">
          {text('failed', { count: failed })}{' '}
          <Link to="/payments" search={{ status: 'requires_payment_method' }}>
            {text('showOpen')}
          </Link>
        </p>
      )}
      {totals?.map(({ currency, received_cents, refunded_cents, open_cents }) => (
        <dl key={currency} className={figures.figures} aria-label={currency.toUpperCase()}>
          {(
            [
              ['received', received_cents],
              ['refunded', refunded_cents],
              ['net', received_cents - refunded_cents],
              ['open', open_cents],
            ] as const
          ).map(([name, cents]) => (
            <div key={name}>
              <dt>{text(name)}</dt>
              <dd>{format.money(cents, currency)}</dd>
            </div>
          ))}
        </dl>
      ))}
    </>
  )
}
