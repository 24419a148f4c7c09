import type { Person } from '../src/identity/people.ts'

/** People of two organizations; one name needs escaping. */
export const guests: Person[] = [
  person('olivia', 'owner', 'first', 'Harbour & <Hill>'),
  person('vera', 'viewer', 'first', 'Harbour & <Hill>'),
  person('otto', 'owner', 'second', 'Pine Lodges'),
]

function person(id: string, role: Person['role'], org: Person['org'], org_name: string): Person {
  const name = id.replace(/^./, (first) => first.toUpperCase())
  const mine = { org_id: `org-${org}`, account_id: `account-${org}`, email: `${id}@example.test` }
  return { id, name, role, org, org_name, ...mine }
}
