import { checkAcknowledgedWrites, checkLists, checkNoExtraBookings } from './check-answers.ts'
import { checkAttempts, checkMessages, checkNoOverbooking, checkPayments, checkPms } from './check-tables.ts'
import type { Cluster } from './cluster.ts'
import { checkNothingStuck } from './settle.ts'
import type { Check, Finding, Ledger } from './ledger.ts'

/** What must be true after any fault, when all work is done. */
export const checks: Readonly<Record<string, Check>> = {
  'the outcome of every request is known': async ({ ledger }) => ({
    wrong: [...ledger.unknown.values()],
    checked: ledger.unknown.size,
    of: 'open requests',
  }),
  'every response was expected': async ({ ledger: { unexpected } }) => ({
    wrong: unexpected,
    checked: unexpected.length,
    of: 'responses',
  }),
  'every acknowledged write is present': checkAcknowledgedWrites,
  'no booking is present that was not requested': checkNoExtraBookings,
  'no night is overbooked': checkNoOverbooking,
  'every message has one effect': checkMessages,
  'payments equal those of the provider': checkPayments,
  'the PMS has the current values': checkPms,
  'nothing is stuck': checkNothingStuck,
  'the history contains the end of every attempt': checkAttempts,
  'every list can be read': checkLists,
}

/** Runs all checks. A check that throws has failed. */
export async function checkLedger(cluster: Cluster, ledger: Ledger): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [name, check] of Object.entries(checks)) {
    try {
      const { wrong, checked, of } = await check({ cluster, ledger })
      const details =
        wrong.length === 0 ? `${checked} ${of}` : `${wrong.length} wrong: ${wrong.slice(0, 5).join('; ')}`
      findings.push({ name, passed: wrong.length === 0, details })
    } catch (error) {
      findings.push({ name, passed: false, details: `the check failed: ${(error as Error).message}` })
    }
  }
  return findings
}
