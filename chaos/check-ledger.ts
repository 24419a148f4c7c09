import { allAcknowledgedThere, listsAnswer, noBookingTooMany } from './check-answers.ts'
import {
  attemptsEnd,
  messagesOnce,
  noNightTwice,
  nothingStuck,
  paymentsEqual,
  pmsEqual,
} from './check-tables.ts'
import type { House } from './house.ts'
import type { Check, Finding, Ledger } from './ledger.ts'

/** What must be true after any fault, once everything is settled. */
export const checks: Readonly<Record<string, Check>> = {
  'every outcome has been learnt': async ({ ledger }) => ({
    wrong: [...ledger.unknown.values()],
    looked: ledger.unknown.size,
    of: 'open requests',
  }),
  'no answer is a surprise': async ({ ledger: { surprises } }) => ({
    wrong: surprises,
    looked: surprises.length,
    of: 'surprises',
  }),
  'every acknowledged write is there': allAcknowledgedThere,
  'nothing is there that nobody asked for': noBookingTooMany,
  'no night is sold twice': noNightTwice,
  'every message has one effect': messagesOnce,
  'payments equal those of the provider': paymentsEqual,
  'the PMS shows what is wanted': pmsEqual,
  'nothing is stuck': nothingStuck,
  'every attempt has its end in the history': attemptsEnd,
  'every list answers': listsAnswer,
}

/** All checks; a check that cannot be made has failed. */
export async function checkLedger(house: House, ledger: Ledger): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [name, check] of Object.entries(checks)) {
    try {
      const { wrong, looked, of } = await check({ house, ledger })
      const found =
        wrong.length === 0 ? `${looked} ${of}` : `${wrong.length} wrong: ${wrong.slice(0, 5).join('; ')}`
      findings.push({ name, holds: wrong.length === 0, found })
    } catch (error) {
      findings.push({ name, holds: false, found: `could not be looked at: ${(error as Error).message}` })
    }
  }
  return findings
}
