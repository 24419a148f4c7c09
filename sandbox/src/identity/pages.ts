import { roles, type Person } from './people.ts'

/** The page to choose a person on. */
export function signInPage(action: string, people: Person[]): string {
  const choices =
    people.length === 0
      ? '<p>No user can sign in yet: the list of users is empty.</p>'
      : `<form method="post" action="${escaped(action)}">${organizations(people)}</form>`
  return page(
    'Sign in',
    `<h1>Sign in to Vacancy</h1>
<p class="lead">Choose a user. This development system has no passwords.</p>
${choices}`,
  )
}

/** Posts the provider's form at once; the button is for a browser without scripts. */
export function signOutPage(form: string): string {
  return page(
    'Signing out',
    `<h1>Signing out</h1>${form}
<button class="plain" form="op.logoutForm" name="logout" value="yes">Sign out</button>
<script>document.getElementById('op.logoutForm').requestSubmit(document.querySelector('button.plain'))</script>`,
  )
}

/** Where the code is entered that the command line prints. */
export function userCodePage(form: string, isRefused: boolean): string {
  const lead = isRefused
    ? 'That code is not known, or was used already. Enter the code that the command line prints.'
    : 'Enter the code that the command line prints.'
  return page(
    'Sign in',
    `<h1>Sign in to Vacancy</h1><p class="lead" id="lead">${lead}</p>${form}
<button class="plain" type="submit" form="op.deviceInputForm">Continue</button>
<script>document.querySelector('input[name=user_code]').setAttribute('aria-labelledby', 'lead')</script>`,
  )
}

export function confirmCodePage(form: string, code: string): string {
  return page(
    'Sign in',
    `<h1>Sign in to Vacancy</h1>
<p class="lead">Does the command line show the code <strong>${escaped(code)}</strong>?</p>${form}
<button class="plain" autofocus type="submit" form="op.deviceConfirmForm">Yes, continue</button>
<button class="plain" type="submit" form="op.deviceConfirmForm" name="abort" value="yes">No</button>`,
  )
}

export function messagePage(title: string, message: string, consoleOrigin: string): string {
  return page(
    title,
    `<h1>${escaped(title)}</h1><p class="lead">${escaped(message)}</p>
<p><a href="${escaped(consoleOrigin)}/">Go to the console</a></p>`,
  )
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`)
}

function organizations(people: Person[]) {
  const groups = Map.groupBy(people, ({ org_id }) => org_id)
  return [...groups.values()].map(organization).join('\n')
}

function organization(people: Person[], at: number) {
  const sorted = people.toSorted((a, b) => roles.indexOf(a.role) - roles.indexOf(b.role))
  return `<section aria-labelledby="organization-${at}">
<h2 id="organization-${at}">${escaped(people[0]?.org_name ?? '')}</h2>
<ul>${sorted.map(choice).join('\n')}</ul>
</section>`
}

function choice({ id, name, email, role }: Person) {
  const initials = name
    .split(/\s+/)
    .map((word) => word.at(0) ?? '')
    .slice(0, 2)
    .join('')
  return `<li><button name="person" value="${escaped(id)}">
<span class="face" aria-hidden="true">${escaped(initials)}</span>
<span class="who"><strong>${escaped(name)}</strong><span>${escaped(email)}</span></span>
<span class="role">${escaped(role)}</span>
</button></li>`
}

function page(title: string, body: string) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · Vacancy</title>
<style>${style}</style>
</head>
<body><main>${body}</main></body>
</html>`
}

const style = `
:root { color-scheme: light dark; --ground: #f3f4f1; --card: #fff; --ink: #1b2420; --quiet: #55605a;
  --line: #dcdfd9; --accent: #14664f; --tint: #e3efe9; }
@media (prefers-color-scheme: dark) { :root { --ground: #141917; --card: #1d2421; --ink: #eef2ef;
  --quiet: #a9b5ae; --line: #333d38; --accent: #7fd1b3; --tint: #22362e; } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: start center; background: var(--ground);
  color: var(--ink); font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', sans-serif; padding: 16px }
main { width: 100%; max-width: 880px; background: var(--card); border: 1px solid var(--line);
  border-radius: 16px; padding: clamp(20px, 4vw, 40px); margin-top: min(8vh, 64px) }
h1 { font-size: 1.6rem; line-height: 1.2; letter-spacing: -.01em; margin: 0 0 8px }
h2 { font-size: 1rem; margin: 0 0 12px }
.lead { color: var(--quiet); margin: 0 0 28px }
a { color: var(--accent) }
form { display: grid; gap: 28px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 320px), 1fr)) }
ul { list-style: none; margin: 0; padding: 0; display: grid; gap: 8px }
button { font: inherit; color: inherit; cursor: pointer; background: var(--card);
  border: 1px solid var(--line); border-radius: 12px; padding: 10px 14px }
li button { width: 100%; display: grid; grid-template-columns: 40px 1fr auto; gap: 12px;
  align-items: center; text-align: left }
button:hover { border-color: var(--accent); background: var(--tint) }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
.face { width: 40px; height: 40px; border-radius: 50%; display: grid; place-items: center;
  background: var(--tint); color: var(--accent); font-weight: 600; font-size: .9rem }
.who { min-width: 0; display: grid }
.who span { color: var(--quiet); font-size: .875rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.role { font-size: .8125rem; font-weight: 600; color: var(--accent); background: var(--tint);
  border-radius: 999px; padding: 2px 10px }
`
