import { readFileSync } from 'node:fs'

export const roles = ['owner', 'admin', 'manager', 'staff', 'viewer'] as const

/** Somebody who can sign in during development. */
export type Person = {
  id: string
  email: string
  name: string
  role: (typeof roles)[number]
  org_id: string
  account_id: string
  org: 'first' | 'second'
  org_name: string
}

/** Those who can sign in now; asked anew each time, so that people may come while it runs. */
export type People = () => Person[]

export function peopleIn(path: string): People {
  return () => JSON.parse(readFileSync(path, 'utf8')) as Person[]
}
