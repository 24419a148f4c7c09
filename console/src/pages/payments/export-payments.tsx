import { useState } from 'react'
import { Button } from '@mantine/core'
import { listPaymentIntents } from '@vacancy/client'

import { Download } from '../../components/icons.tsx'
import { saveFile } from '../../components/save-file.ts'
import { useToast } from '../../components/toast.tsx'
import { useFailureText } from '../../i18n/failure-text.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi } from '../../session/api.tsx'
import { ledgerMessages } from './ledger-messages.ts'

const columns = [
  'id',
  'booking_id',
  'created_at',
  'status',
  'amount',
  'amount_received',
  'amount_refunded',
  'currency',
  'failure_code',
] as const

/** All payments as a file. Its cells are ids, times, codes and numbers, so that none needs quotes. */
export const ExportButton = () => {
  const text = useMessages(ledgerMessages)
  const describe = useFailureText()
  const toast = useToast()
  const api = useApi()
  const [isRunning, setRunning] = useState(false)
  const run = async () => {
    setRunning(true)
    try {
      const lines = [columns.join(',')]
      for await (const payment of api.listAll(listPaymentIntents))
        lines.push(columns.map((column) => payment[column] ?? '').join(','))
      saveFile(new Blob([`${lines.join('\r\n')}\r\n`], { type: 'text/csv' }), 'payments.csv')
    } catch (failure) {
      toast({ message: describe(failure) })
    }
    setRunning(false)
  }
  return (
    <Button variant="default" leftSection={<Download />} loading={isRunning} onClick={() => void run()}>
      {text('exportCsv')}
    </Button>
  )
}
