import { useState } from 'react'

import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { unitMessages } from './messages.ts'

interface PriceChange {
  /** Left out for a unit that is new. */
  beforeCents?: number
  afterCents: number
  currency: string
}

/** Asks before a unit becomes free of charge, or costs less than half of what it did. */
export const usePriceQuestion = () => {
  const text = useMessages(unitMessages)
  const format = useFormat()
  const [question, setQuestion] = useState<(PriceChange & { answer: (isMeant: boolean) => void }) | null>(
    null,
  )
  const confirmPrice = async (change: PriceChange): Promise<boolean> => {
    const { beforeCents = 0, afterCents } = change
    if (afterCents > 0 && afterCents * 2 >= beforeCents) return true
    return new Promise((answer) => setQuestion({ ...change, answer }))
  }
  const close = () => {
    question?.answer(false)
    setQuestion(null)
  }
  const dialog = question && (
    <ConfirmDialog
      title={text(question.afterCents === 0 ? 'freeTitle' : 'dropTitle')}
      action={text('changePrice')}
      isDangerous
      onConfirm={async () => question.answer(true)}
      onClose={close}
    >
      {question.afterCents === 0
        ? text('freeText')
        : text('dropText', {
            before: format.money(question.beforeCents ?? 0, question.currency),
            after: format.money(question.afterCents, question.currency),
          })}
    </ConfirmDialog>
  )
  return { confirmPrice, dialog }
}
