import { secretKinds } from '#secret-kinds.ts'
import { settings } from '#setting-names.ts'
import type { Setting } from '#settings.ts'
import { grants, roleGrants } from '#http/role-grants.ts'
import { permissionTable, rolePermissions, roles } from '#http/permissions.ts'

/** The parts of docs/ that follow from the code: who may do what, and every setting. */

const table = (head: string[], rows: string[][]) => {
  const widths = head.map((name, at) => Math.max(3, name.length, ...rows.map((row) => row[at]!.length)))
  const line = (cells: string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}

export function permissionsPage(): string {
  const granted = (permission: string) =>
    roles.map((role) => (rolePermissions[role].includes(permission) ? 'yes' : ''))
  const operations = Object.entries(permissionTable).map(([operation, needed]) => [
    `\`${operation}\``,
    needed.includes(':') ? `\`${needed}\`` : needed,
  ])
  const permissions = Object.entries(grants)
  return `# Permissions

Written by \`npm run docs\` from the table that decides at the door; do not edit it here.

A token that names permissions has exactly those, whatever its role. One that names none has those of its role.
A \`service\` has only what its token names. Without a valid token the answer is 401, without the permission 403.
What only owners or only admins have, a token of another role cannot name.

## What each role is for

${table(
  ['Role', 'What it is for'],
  roles.map((role) => [role, roleGrants[role]]),
)}

A role has what its job needs, and everything that the roles below it have.

## What each operation needs

${table(['Operation', 'Permission'], operations)}

\`guest_contacts:read\` opens no operation: without it, and without \`bookings:write\`, addresses, numbers and notes of
guests are null in bookings and booking conflicts. \`notifications:read\` decides whether an organization shows the addresses
among its settings, \`units:write\` whether a calendar feed shows its address, \`bookings:import\` whether a booking may
arrive in the past: only a token that names it has it. Alerts about members are for owners and admins.

## What each role has

${table(
  ['Permission', ...roles],
  permissions.map(([permission]) => [`\`${permission}\``, ...granted(permission)]),
)}

## Why

Why the lowest role that has a permission needs it, and why those below do without.

${table(
  ['Permission', 'From', 'Why', 'Why not the others'],
  permissions.map(([permission, { least, why, others }]) => [`\`${permission}\``, least, why, others ?? '']),
)}
`
}

const begin = '<!-- settings:begin -->'
const end = '<!-- settings:end -->'

/** The page with its table of settings made anew. */
export function withSettings(page: string): string {
  const [before, after] = [page.indexOf(begin), page.indexOf(end)]
  if (before < 0 || after < before) throw new Error(`docs/operations.md lacks ${begin} … ${end}.`)
  return `${page.slice(0, before)}${begin}\n\n${settingsTable()}\n\n${page.slice(after)}`
}

const settingsTable = () =>
  table(
    ['Variable', 'Meaning', 'Default'],
    settings.map((setting: Setting) => [
      `\`${setting.name}\``,
      setting.summary +
        (setting.secret ? ` Secret, changed every ${secretKinds[setting.secret.kind]} days.` : ''),
      setting.required ? 'required' : setting.fallback ? `\`${setting.fallback}\`` : '',
    ]),
  )
