import { settings } from '#setting-names.ts'
import type { Setting } from '#settings.ts'
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
  const permissions = [...new Set(Object.values(rolePermissions).flat())]
  return `# Permissions

Written by \`npm run docs\` from the table that decides at the door; do not edit it here.

A token that names permissions has exactly those, whatever its role. One that names none has those of its role.
A \`service\` has only what its token names. Without a valid token the answer is 401, without the permission 403.

## What each operation needs

${table(['Operation', 'Permission'], operations)}

## What each role has

${table(
  ['Permission', ...roles],
  permissions.map((permission) => [`\`${permission}\``, ...granted(permission)]),
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
      setting.summary + (setting.secret ? ' Secret.' : ''),
      setting.required ? 'required' : setting.fallback ? `\`${setting.fallback}\`` : '',
    ]),
  )
