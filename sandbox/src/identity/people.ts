import { readFileSync } from 'node:fs'

export const roles = ['owner', 'admin', 'manager', 'staff', 'viewer'] as const

/** A person who can sign in during development. */
export type Person = {
  id: string
  email: string
  name: string
  role: (typeof roles)[number]
  org_id: string
  account_id: string
  org: 'first' | 'second'
  org_name: string
  /** Other organizations that the person has the same role in. */
  other_orgs?: { org: string; org_id: string }[]
}

/** Returns the people who can sign in. It is called for each sign-in, so that the list can change. */
export type People = () => Person[]

export function peopleIn(path: string): People {
  return () => JSON.parse(readFileSync(path, 'utf8')) as Person[]
}
