import type { Scope } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { PmsFailure } from '#outside/pms/pms-failure.ts'
import type { Provider } from '#outside/pms/pms.ts'
import { providerOf, type Connections } from '../channel-targets/connect-target.ts'
import { hintFor } from '../channel-targets/pms-problem.ts'
import { lookForTarget, type TargetConnection } from '../channel-targets/queries.ts'
import { askPms } from './ask-pms.ts'
import { checkListing } from './check-listing.ts'
import type { Preflight, PreflightProblem } from './preflight.ts'
import { linkedListings, targetOf, usedElsewhere, type Linked } from './queries.ts'
import { surroundingsOf } from './surroundings.ts'

/** Looks at one listing and at the target that it goes through. @throws NotFound */
export async function preflightListing(
  scope: Scope,
  connections: Connections,
  listingId: string,
): Promise<Preflight> {
  const targetId = await targetOf(scope, listingId)
  if (!targetId) throw new NotFound('channel listing', listingId)
  return await preflight(scope, connections, targetId, listingId)
}

/** Looks at a target and at all its listings, with one look at the PMS. @throws NotFound */
export const preflightTarget = (
  scope: Scope,
  connections: Connections,
  targetId: string,
): Promise<Preflight> => preflight(scope, connections, targetId)

async function preflight(
  scope: Scope,
  connections: Connections,
  targetId: string,
  onlyId?: string,
): Promise<Preflight> {
  const target = await lookForTarget(scope, targetId)
  if (!target) throw new NotFound('channel target', targetId)
  const asked = askPms(scope, connections, target, (pms, call) => pms.offers(call)).catch(failureOf)
  const [offers, linked, elsewhere] = await Promise.all([
    asked,
    linkedListings(scope, targetId),
    usedElsewhere(scope, target),
  ])
  const provider = providerOf(connections, target)
  const had = offers instanceof PmsFailure ? null : offers
  const surroundings = surroundingsOf(provider, had, [...linked, ...elsewhere])
  const looked = onlyId ? linked.filter(({ id }) => id === onlyId) : linked
  const problems = [
    ...problemsOfTarget(target, provider, linked, offers instanceof PmsFailure ? offers : null),
    ...looked.flatMap((listing) => checkListing(listing, surroundings)),
  ]
  return {
    ok: problems.every(({ severity }) => severity !== 'error'),
    checked_at: new Date().toISOString(),
    problems,
  }
}

function failureOf(error: unknown): PmsFailure {
  if (error instanceof PmsFailure) return error
  throw error
}

function problemsOfTarget(
  { status }: TargetConnection,
  { sharesProperty }: Provider,
  linked: readonly Linked[],
  failure: PmsFailure | null,
): PreflightProblem[] {
  const problems: PreflightProblem[] = []
  const add = (problem: Omit<PreflightProblem, 'channel_listing_id'>) =>
    problems.push({ ...problem, channel_listing_id: null })
  if (failure)
    add({
      severity: 'error',
      code: failure.code,
      field: failure.code === 'auth_rejected' ? 'channel_target.config.credentials' : 'channel_target.config',
      message: failure.message,
      hint: hintFor(failure),
    })
  if (status === 'inactive')
    add({
      severity: 'warning',
      code: 'target_inactive',
      field: 'channel_target.status',
      message: 'The channel target is paused: nothing is pushed.',
      hint: 'Resume it when its listings are right.',
    })
  const spaces = new Map(linked.map(({ space }) => [space.id, space.name]))
  if (sharesProperty && spaces.size > 1)
    add({
      severity: 'error',
      code: 'several_spaces',
      field: 'unit.space_id',
      message: `The units are in ${spaces.size} spaces (${listed([...spaces.values()])}), but share one property at the PMS.`,
      hint: 'Make a channel target for each space: else they take turns in writing their name and address there.',
    })
  return problems
}

const listed = (names: readonly string[]) =>
  names.length > 3 ? `${names.slice(0, 3).join(', ')}, …` : names.join(', ')
