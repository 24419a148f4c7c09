import type { Config } from '#config.ts'
import { openDatabase, type Database } from '#db/connect.ts'
import { isCurrency, isTimeZone, isUuid } from '#fields.ts'
import { isRole, roles } from '#http/permissions.ts'
import { insertAccount, insertOrganization, oldestAccount, upsertMember } from './queries.ts'

/** Organizations and members come into being here, by the command line, never by an HTTP call. */

export interface OrganizationOptions {
  name: string
  tier?: string
  currency?: string
  timezone?: string
}

/** @throws Error with a sentence for the person at the terminal. */
export async function createOrganization(config: Pick<Config, 'database'>, options: OrganizationOptions) {
  const { name, tier = 'free', currency = 'usd', timezone = 'UTC' } = options
  if (!name.trim() || name.length > 255) throw new Error('The name must have 1 to 255 characters.')
  if (!['free', 'paid', 'enterprise'].includes(tier))
    throw new Error('The tier must be free, paid or enterprise.')
  if (!isCurrency(currency.toLowerCase())) throw new Error(`${currency} is not an ISO 4217 currency.`)
  if (!isTimeZone(timezone)) throw new Error(`${timezone} is not an IANA time zone.`)
  return await asOwner(config, async (owner) => {
    const settings = { default_currency: currency.toLowerCase(), default_timezone: timezone }
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
  /** The `sub` of the person's tokens; without it the e-mail address decides. */
  subject?: string
}

/** @throws Error with a sentence for the person at the terminal. */
export async function addMember(config: Pick<Config, 'database' | 'identity'>, options: MemberOptions) {
  const { orgId, email, role, name, subject } = options
  if (!isUuid(orgId)) throw new Error(`${orgId} is not the id of an organization.`)
  if (!/^[^\s@]+@[^\s@]+$/.test(email) || email.length > 320)
    throw new Error(`${email} is not an e-mail address.`)
  if (!isRole(role)) throw new Error(`The role must be one of ${roles.join(', ')}.`)
  return await asOwner(config, async (owner) => {
    const accountId = await oldestAccount(owner, orgId)
    if (!accountId) throw new Error(`There is no organization with the id ${orgId}.`)
    const issuer = subject ? config.identity.issuer : null
    return {
      member: await upsertMember(owner, {
        orgId,
        accountId,
        email,
        name: name ?? null,
        role,
        issuer,
        subject: subject ?? null,
      }),
    }
  })
}

async function asOwner<T>(
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
