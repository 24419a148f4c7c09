import type { Config } from '#config.ts'
import { openDatabase, type Connection, type Database } from '#db/connect.ts'
import { Conflict, semanticError } from '#errors.ts'
import { isMailAddress } from '#mail-address.ts'
import { findMember, findMemberOfSubject, upsertMember, type Member } from './member-queries.ts'
import { assertOwnerStays, assertRole, lockOrganizationOrThrow } from './member-rules.ts'
import { assertOrganization, changedSettings } from './organization-settings.ts'
import { insertAccount, insertOrganization, oldestAccount } from './queries.ts'

/** Organizations and members come into being here, by the command line, never by an HTTP call. */

export interface OrganizationOptions {
  name: string
  tier?: string
  currency?: string
  timezone?: string
}

/** @throws Invalid with a sentence for the person at the terminal. */
export async function createOrganization(config: Pick<Config, 'database'>, options: OrganizationOptions) {
  const { name, tier = 'free', currency = 'usd', timezone = 'UTC' } = options
  assertOrganization({ name, tier })
  const settings = changedSettings({}, { currency, timezone })
  return await withOwner(config, async (owner) => {
    const organization = await insertOrganization(owner, { name: name.trim(), tier, settings })
    const account = await insertAccount(owner, organization.id, organization.name)
    return { organization, account }
  })
}

export interface MemberOptions {
  orgId: string
  email: string
  role: string
  name?: string
  /** The `sub` of the person's tokens; without it the verified e-mail address decides, once. */
  subject?: string
}

/**
 * Adds a member, brings back one who was removed, or changes the one with that e-mail address.
 * @throws NotFound, Invalid, or Conflict with a sentence for the person at the terminal.
 */
export async function addMember(
  config: Pick<Config, 'database' | 'identity'>,
  { orgId, email, role, name, subject }: MemberOptions,
): Promise<{ member: Member }> {
  if (!isMailAddress(email)) throw semanticError('email', `${email} is not an address that mail can reach.`)
  assertRole(role)
  const { issuer } = config.identity
  return await asOwner(config, async (connection) => {
    await lockOrganizationOrThrow(connection, orgId)
    const before = await findMember(connection, orgId, email)
    if (before) await assertOwnerStays(connection, before, role)
    const same = subject ? await findMemberOfSubject(connection, orgId, { issuer, subject }) : undefined
    if (same && same.id !== before?.id)
      throw new Conflict('conflict', `The subject ${subject} is already the member ${same.email}.`)
    const accountId = await oldestAccount(connection, orgId)
    const identity = subject ? { issuer, subject } : { issuer: null, subject: null }
    return {
      member: await upsertMember(connection, {
        ...{ orgId, accountId: accountId!, email, name: name ?? null, role },
        ...identity,
      }),
    }
  })
}

/** One transaction under the login that may migrate: the role of the API cannot write what is provisioned. */
export const asOwner = <T>(
  config: Pick<Config, 'database'>,
  work: (connection: Connection) => Promise<T>,
): Promise<T> => withOwner(config, (owner) => owner.transaction({ orgId: null }, work))

async function withOwner<T>(
  { database }: Pick<Config, 'database'>,
  work: (owner: Database) => Promise<T>,
): Promise<T> {
  const owner = openOwner(database.ownerUrl)
  try {
    return await work(owner)
  } finally {
    await owner.close()
  }
}

export const openOwner = (url: string): Database =>
  openDatabase({
    url,
    poolSize: 2,
    role: null,
    statementTimeoutMs: 30_000,
    prepare: false,
    applicationName: 'vacancy provisioning',
    onError: () => {},
  })
