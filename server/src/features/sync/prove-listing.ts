import type { Scope } from '#db/scope.ts'
import { NotFound, semanticError } from '#errors.ts'
import { PmsFailure } from '#outside/pms/pms-failure.ts'
import { termNames } from '#outside/pms/pms.ts'
import { connectTarget, providerOf, type Connections } from '../channel-targets/connect-target.ts'
import { lookForTarget } from '../channel-targets/queries.ts'
import type { Change } from './content.ts'
import { differencesBetween, shownNights, type Difference } from './differences.ts'
import { budgetsOf, openGate } from './gate.ts'
import { lookAtListing, type Look } from './look-queries.ts'
import { runsBetween, unknownNights, type NightValues, type Runs } from './night-values.ts'
import { hasSomethingToSay, preparePushes, type Push } from './prepare-pushes.ts'

/** One stretch of nights: the rooms of the unit, or the terms of a plan. */
export type ProofRun = {
  rate_plan_id: string | null
  date_from: string
  date_to: string
  [value: string]: unknown
}

export interface Proof {
  channel_listing_id: string
  in_sync: boolean
  checked_at: string | null
  age_seconds: number | null
  desired: ProofRun[]
  accepted: ProofRun[]
  read_back: ProofRun[]
  differences: Difference[]
  error_message: string | null
}

/**
 * What is wanted of a listing, what the PMS took, and what it shows when it is asked now. When it cannot be asked, what
 * the last look found stands in its place, with its age and the reason. @throws NotFound, Invalid
 */
export async function proveListing(
  scope: Scope,
  connections: Connections,
  listingId: string,
  nights: { from?: string; to?: string },
): Promise<Proof> {
  const { look, push } = await pushOf(scope, connections, listingId, nights)
  const base = {
    channel_listing_id: listingId,
    desired: proofRuns(runsBetween(nothing(push), push.wanted, termNames, true)),
    accepted: proofRuns(runsBetween(nothing(push), push.had, termNames, false)),
  }
  try {
    const { shown, provider } = await ask(scope, connections, look, push)
    const differences = differencesBetween(push, shown, provider)
    const seen = shown ? shownNights(push.wanted, shown) : nothing(push)
    return {
      ...base,
      in_sync: differences.length === 0,
      checked_at: new Date().toISOString(),
      age_seconds: 0,
      read_back: proofRuns(runsBetween(nothing(push), seen, termNames, false)),
      differences,
      error_message: null,
    }
  } catch (error) {
    if (!(error instanceof PmsFailure)) throw error
    return {
      ...base,
      in_sync: false,
      checked_at: look.checked_at,
      age_seconds: look.checked_at && Math.round((Date.now() - Date.parse(look.checked_at)) / 1_000),
      read_back: [],
      differences: look.found ?? [],
      error_message: error.message,
    } as Proof
  }
}

export interface Preview {
  channel_listing_id: string
  mode: 'delta' | 'full'
  would_push: boolean
  content: Change[]
  calendar: ProofRun[]
}

/** What the next push of a listing would say, without saying it. @throws NotFound */
export async function previewListing(
  scope: Scope,
  connections: Connections,
  listingId: string,
  mode: 'delta' | 'full' | undefined,
): Promise<Preview> {
  const { push } = await pushOf(scope, connections, listingId, {}, mode)
  return {
    channel_listing_id: listingId,
    mode: push.claim.mode === 'full' || !push.claim.accepted ? 'full' : 'delta',
    would_push: hasSomethingToSay(push),
    content: [...push.changes],
    calendar: proofRuns(push.runs),
  }
}

async function pushOf(
  scope: Scope,
  connections: Connections,
  listingId: string,
  { from, to }: { from?: string; to?: string },
  mode?: 'delta' | 'full',
): Promise<{ look: Look; push: Push }> {
  const look = await lookAtListing(scope, listingId, from ?? null, to ?? null)
  if (!look) throw new NotFound('channel listing', listingId)
  if (look.first_night === null)
    throw semanticError(
      'to',
      'These nights are past, or lie further ahead than the PMS is kept (500 nights).',
    )
  const target = (await lookForTarget(scope, look.channel_target_id))!
  const claim = mode ? { ...look, mode } : look
  const [push] = await preparePushes(scope, target.id, providerOf(connections, target), [claim])
  return { look, push: push! }
}

async function ask(scope: Scope, connections: Connections, look: Look, push: Push) {
  const target = (await lookForTarget(scope, look.channel_target_id))!
  const provider = providerOf(connections, target)
  if (look.external_id === null)
    throw new PmsFailure('mapping_not_found', 'The unit has not been made at the PMS yet.', {
      hint: 'Wait for the first push.',
    })
  const gate = openGate(scope, {
    id: target.id,
    budgets: budgetsOf(provider.budgets, target.config),
    failures: 0,
  })
  const nights = { date_from: look.first_night!, date_to: look.last_night! }
  const shown = await connectTarget(connections, scope.orgId, target).read(
    [{ externalId: look.external_id, plans: push.links }],
    nights,
    { gate, traceparent: scope.traceparent },
  )
  return { provider, shown: shown.get(look.external_id) ?? null }
}

const nothing = ({ wanted }: Push): NightValues => unknownNights(wanted.first, wanted.rooms.length)

const proofRuns = ({ rooms, rates }: Runs): ProofRun[] => [
  ...rooms.map((run) => ({ rate_plan_id: null, ...run })),
  ...rates.map(({ plan, ...run }) => ({ rate_plan_id: plan, ...run })),
]
