import type { contract } from '@vacancy/client'

import { dateOf, dayOf } from '../calendar/nights.ts'

export type Proof = contract.Proof
type Run = Proof['desired'][number]

/** The values of one night: the rooms of the unit, and the terms of one rate plan. */
export type Night = Partial<Omit<Run, 'rate_plan_id' | 'date_from' | 'date_to'>>

export interface ProofNight {
  date: string
  desired: Night
  accepted: Night
  shown: Night
  /** The terms that the PMS shows differently, and those that it has not accepted as they are wanted. */
  differs: ReadonlySet<string>
  unaccepted: ReadonlySet<string>
}

/** The rate plans of a proof. */
export const plansOf = (proof: Proof): string[] => [
  ...new Set(proof.desired.flatMap(({ rate_plan_id }) => (rate_plan_id ? [rate_plan_id] : []))),
]

/** Night by night: what is wanted, what the PMS accepted, and what it shows, of the rooms and of one plan. */
export const proofNights = (proof: Proof, planId: string | null): ProofNight[] => {
  const desired = byNight(proof.desired, planId)
  const accepted = byNight(proof.accepted, planId)
  const shown = byNight(proof.read_back, planId)
  const differing = new Map<string, Set<string>>()
  for (const { field, rate_plan_id, date_from, date_to } of proof.differences) {
    if (!date_from || !date_to || (rate_plan_id !== null && rate_plan_id !== planId)) continue
    for (let date = date_from; date <= date_to; date = dateOf(dayOf(date) + 1))
      differing.set(date, (differing.get(date) ?? new Set()).add(field))
  }
  return [...desired.keys()].toSorted().map((date) => {
    const wanted = desired.get(date) ?? {}
    const had = accepted.get(date) ?? {}
    return {
      date,
      desired: wanted,
      accepted: had,
      shown: shown.get(date) ?? {},
      differs: differing.get(date) ?? new Set(),
      unaccepted: new Set(
        Object.entries(wanted)
          .filter(([term, value]) => value !== undefined && had[term as keyof Night] !== value)
          .map(([term]) => term),
      ),
    }
  })
}

const byNight = (runs: readonly Run[], planId: string | null): Map<string, Night> => {
  const nights = new Map<string, Night>()
  for (const { rate_plan_id, date_from, date_to, ...values } of runs) {
    if (rate_plan_id !== null && rate_plan_id !== planId) continue
    for (let date = date_from; date <= date_to; date = dateOf(dayOf(date) + 1))
      nights.set(date, { ...nights.get(date), ...values })
  }
  return nights
}
