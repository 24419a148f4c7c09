/* global document, fetch, history, location */
/** The page of the mail catcher. Everything that a message says is put in as text, never as markup. */

const list = document.querySelector('#list')
const shown = document.querySelector('#shown')
let chosen = location.hash.slice(1)
let form = 'html'
let known = ''

const make = (name, content, attributes = {}) => {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  element.append(...[content].flat().filter((part) => part !== null && part !== undefined))
  return element
}

const timeOf = (at) => new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })

async function refresh() {
  const answer = await fetch('/messages').catch(() => null)
  if (!answer?.ok) return
  const text = await answer.text()
  if (text === known) return
  known = text
  const { messages } = JSON.parse(text)
  list.replaceChildren(...messages.map(row))
  if (messages.length === 0) shown.replaceChildren(make('p', 'Nothing was sent yet.', { class: 'empty' }))
  else if (!messages.some(({ id }) => id === chosen)) await choose(messages[0].id)
  else if (!shown.querySelector('h2')) await show()
}

function row({ id, to, subject, preview, at }) {
  const button = make(
    'button',
    [
      make('span', subject ?? 'SMS', { class: 'title' }),
      make('span', timeOf(at), { class: 'when' }),
      make('span', to.join(', '), { class: 'to' }),
      make('span', '', { class: 'when' }),
      make('span', preview, { class: 'preview' }),
    ],
    { type: 'button', 'data-id': id, 'aria-current': String(id === chosen) },
  )
  button.addEventListener('click', () => choose(id))
  return make('li', button)
}

async function choose(id) {
  chosen = id
  history.replaceState(null, '', `#${id}`)
  for (const button of list.querySelectorAll('button'))
    button.setAttribute('aria-current', String(button.dataset.id === id))
  await show()
}

async function show() {
  const answer = await fetch(`/messages/${chosen}`)
  if (!answer.ok) return
  const { message } = await answer.json()
  const forms = { ...(message.html && { html: 'Preview' }), text: 'Plain text', headers: 'Headers' }
  if (message.channel === 'sms') delete forms.headers
  const current = form in forms ? form : Object.keys(forms)[0]
  const tabs = Object.entries(forms).map(([name, words]) => {
    const tab = make('button', words, { type: 'button', 'aria-pressed': String(name === current) })
    tab.addEventListener('click', () => ((form = name), show()))
    return tab
  })
  shown.replaceChildren(
    make('div', [
      make('h2', message.subject ?? 'SMS'),
      make('p', `${message.from} → ${message.to.join(', ')} · ${new Date(message.at).toLocaleString()}`, {
        class: 'envelope',
      }),
    ]),
    make('nav', tabs),
    views[current](message),
  )
}

const views = {
  html: ({ id }) => make('iframe', null, { sandbox: '', src: `/messages/${id}/html`, title: 'The mail' }),
  text: ({ text }) => make('pre', text ?? ''),
  headers: ({ headers }) =>
    make(
      'table',
      headers.map(({ name, value }) => make('tr', [make('th', name, { scope: 'row' }), make('td', value)])),
    ),
}

document.querySelector('#clear').addEventListener('click', async () => {
  await fetch('/messages', { method: 'DELETE' })
  await refresh()
})
await refresh()
setInterval(refresh, 2000)
