/** The users of the development identity provider: one of each role in both demonstration organizations. */
export interface Person {
  id: string
  email: string
  name: string
  role: 'owner' | 'admin' | 'manager' | 'staff' | 'viewer'
  org_id: string
  account_id: string
  org: 'first' | 'second'
  org_name: string
}

export const organizations = {
  first: {
    id: '0190a000-0000-7000-8000-000000000001',
    account_id: '0190a000-0000-7000-8000-0000000000a1',
    name: 'Casa Atlântica',
    tier: 'paid',
    settings: { default_currency: 'eur', default_timezone: 'Europe/Lisbon', locale: 'pt-PT' },
  },
  second: {
    id: '0190a000-0000-7000-8000-000000000002',
    account_id: '0190a000-0000-7000-8000-0000000000a2',
    name: 'Juniper Ridge Stays',
    tier: 'free',
    settings: { default_currency: 'usd', default_timezone: 'America/Denver', locale: 'en-US' },
  },
} as const

const names = {
  first: {
    owner: 'Inês Carvalho',
    admin: 'Tiago Moura',
    manager: 'Beatriz Lopes',
    staff: 'Rui Antunes',
    viewer: 'Marta Pires',
  },
  second: {
    owner: 'Dana Whitfield',
    admin: 'Marcus Boone',
    manager: 'Priya Raman',
    staff: 'Joel Ortiz',
    viewer: 'Hannah Kim',
  },
} as const

const domains = { first: 'casa-atlantica.example', second: 'juniper-ridge.example' }
const roles = ['owner', 'admin', 'manager', 'staff', 'viewer'] as const

export const people: Person[] = (['first', 'second'] as const).flatMap((org, at) =>
  roles.map((role, index) => {
    const name = names[org][role]
    const local = name.split(' ')[0]!.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
    return {
      id: `0190b000-0000-7000-8000-00000000000${at * roles.length + index}`,
      email: `${local}@${domains[org]}`,
      name,
      role,
      org_id: organizations[org].id,
      account_id: organizations[org].account_id,
      org,
      org_name: organizations[org].name,
    }
  }),
)
