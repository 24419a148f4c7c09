/** The summary that is printed once the product runs. */
import type { RunningProduct } from './home.ts'

interface Person {
  email: string
  name: string
  role: string
  org: string
  org_name: string
}

interface SummaryOptions {
  seconds: number
  home: string
  /** Variables that commands need to find this product. */
  prefix: string
  people: readonly Person[]
  paint: (code: number, text: string) => string
}

export function summarize(running: RunningProduct, { seconds, home, prefix, people, paint }: SummaryOptions) {
  const { api_url: url } = running
  const rows = [
    ['Console', url],
    ['API', `${url}/api/v1`],
    ['Documentation', `${url}/docs`],
    ['Identity', running.issuer],
    ['Sandbox PMS', running.pms_url],
    ['Sent messages', running.mail_url],
    ...running.workers.map(({ name, url }) => [name[0]!.toUpperCase() + name.slice(1), `${url}/health`]),
    ['Data and logs', home],
  ].filter(([, value]) => value)
  const token = `${prefix}npx vacancy token --as owner`
  const call = `curl -H "Authorization: Bearer $(${token})" "${url}/api/v1/units?limit=3"`
  return [
    '',
    paint(1, `Vacancy is ready (${seconds.toFixed(1)} s)`),
    '',
    ...rows.map(([name = '', value]) => `  ${name.padEnd(21)}${value}`),
    ...(people.length > 0
      ? ['', '  Sign in as', ...people.map(describe), '', '  Try the API', `    ${call}`]
      : []),
    '',
    '  Press Ctrl-C to stop.',
    '',
    '',
  ].join('\n')
}

const describe = ({ name, email, role, org_name }: Person) =>
  `    ${name.padEnd(22)}${email.padEnd(34)}${role.padEnd(9)}${org_name}`
