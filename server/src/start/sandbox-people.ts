/** The people who can sign in at the identity provider of the sandbox: those of the demonstration, and added members. */
import { randomUUID } from 'node:crypto'
import { people } from '#seed/people.ts'
import type { Home, Ports } from './home.ts'
import { readJsonOrUndefined, writeJson } from './home-files.ts'

export interface SandboxPerson {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly role: string
  readonly org: string
  readonly org_id: string
  readonly org_name: string
  /** Their tokens name no organization, so that they choose one. */
  readonly other_orgs?: readonly { org: string; org_id: string }[]
}

const fileOf = (home: Pick<Home, 'file'>) => home.file('people.json')

export function listSandboxPeople(home: Pick<Home, 'file'>): SandboxPerson[] {
  const known = readJsonOrUndefined<SandboxPerson[]>(fileOf(home)) ?? []
  return [...people, ...known.filter(({ id }) => !people.some((person) => person.id === id))]
}

export const saveSandboxPeople = (home: Pick<Home, 'file'>): void =>
  writeJson(fileOf(home), listSandboxPeople(home))

/** Lets a member sign in, without a password. Undefined when another identity provider is used. */
export function addSandboxPerson(
  home: Home,
  {
    email,
    name,
    role,
    org_id,
    org_name,
  }: Omit<SandboxPerson, 'id' | 'name' | 'org'> & { name: string | null },
): SandboxPerson | undefined {
  const issuer = home.readRunning()?.issuer
  const port = readJsonOrUndefined<Ports>(home.file('ports.json'))?.identity
  if (!issuer || new URL(issuer).port !== String(port)) return undefined
  const all = listSandboxPeople(home)
  const known = all.find((person) => person.email.toLowerCase() === email.toLowerCase())
  // The commands of the demonstration use the tokens of its people, which name its organizations.
  if (people.some(({ id }) => id === known?.id)) return known
  const person = known
    ? withOrganization(known, org_id)
    : { id: randomUUID(), email, name: name ?? email.split('@')[0]!, role, org: org_id, org_id, org_name }
  writeJson(fileOf(home), [...all.filter(({ id }) => id !== person.id), person])
  return person
}

function withOrganization(person: SandboxPerson, orgId: string): SandboxPerson {
  const others = person.other_orgs ?? []
  if ([person, ...others].some(({ org_id }) => org_id === orgId)) return person
  return { ...person, other_orgs: [...others, { org: orgId, org_id: orgId }] }
}
