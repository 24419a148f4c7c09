import type { Scope } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { PmsFailure } from '#integrations/pms/pms-failure.ts'
import type { Provider } from '#integrations/pms/pms-provider.ts'
import { providerOf, type Connections } from '#features/distribution/pms-access/connect.ts'
import { getTargetConnection, type TargetConnection } from '#features/distribution/channel-targets/queries.ts'
import { hintFor, readOffers } from './read-offers.ts'
import { checkListing } from './check-listing.ts'
import type { Preflight, PreflightProblem } from './preflight.ts'
import { listLinkedListings, getTargetId, listMappingsElsewhere, type LinkedListing } from './queries.ts'
import { buildPreflightContext } from './preflight-context.ts'

/** Checks one listing and its target. @throws NotFound */
export async function preflightListing(
  scope: Scope,
  connections: Connections,
  listingId: string,
): Promise<Preflight> {
  const targetId = await getTargetId(scope, listingId)
  if (!targetId) throw new NotFound('channel listing', listingId)
  return await preflight(scope, connections, targetId, listingId)
}

/** Checks a target and all its listings, reading the PMS once. @throws NotFound */
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
  const target = await getTargetConnection(scope, targetId)
  if (!target) throw new NotFound('channel target', targetId)
  const [result, listings, elsewhere] = await Promise.all([
    readOffers(scope, connections, target).catch(toPmsFailure),
    listLinkedListings(scope, targetId),
    listMappingsElsewhere(scope, target),
  ])
  const provider = providerOf(connections, target)
  const [offers, failure] = result instanceof PmsFailure ? [null, result] : [result, null]
  const context = buildPreflightContext(provider, offers, [...listings, ...elsewhere])
  const checked = onlyId ? listings.filter(({ id }) => id === onlyId) : listings
  const problems = [
    ...targetProblems(target, provider, listings, failure),
    ...checked.flatMap((listing) => checkListing(listing, context)),
  ]
  return {
    ok: problems.every(({ severity }) => severity !== 'error'),
    checked_at: new Date().toISOString(),
    problems,
  }
}

function toPmsFailure(error: unknown): PmsFailure {
  if (error instanceof PmsFailure) return error
  throw error
}

function targetProblems(
  { status }: TargetConnection,
  { oneSpacePerTarget }: Provider,
  listings: readonly LinkedListing[],
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
      message: 'The channel target is paused, so nothing is pushed.',
      hint: 'Resume it when its listings are ready.',
    })
  const spaces = new Map(listings.map(({ space }) => [space.id, space.name]))
  if (oneSpacePerTarget && spaces.size > 1)
    add({
      severity: 'error',
      code: 'several_spaces',
      field: 'unit.space_id',
      message: `The units are in ${spaces.size} spaces (${formatNames([...spaces.values()])}), but share one property at the PMS.`,
      hint: "Create a channel target for each space. Otherwise they overwrite each other's name and address there.",
    })
  return problems
}

const formatNames = (names: readonly string[]) =>
  names.length > 3 ? `${names.slice(0, 3).join(', ')}, …` : names.join(', ')
