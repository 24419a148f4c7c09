// The behaviour of the pages below /docs: the menu on narrow screens, copy buttons and the search.
const menuButton = document.querySelector('.menu-button')
menuButton?.addEventListener('click', () => {
  const isOpen = document.getElementById('menu').toggleAttribute('data-open')
  menuButton.setAttribute('aria-expanded', String(isOpen))
})

for (const block of document.querySelectorAll('.code')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'quiet'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.querySelector('code').textContent)
    button.textContent = 'Copied'
    setTimeout(() => (button.textContent = 'Copy'), 2_000)
  })
  block.append(button)
}

const dialog = document.querySelector('dialog.search')
const input = dialog.querySelector('input')
const list = dialog.querySelector('ul')
const found = dialog.querySelector('.found')
const maxResults = 12
let entries

async function openSearch() {
  dialog.showModal()
  input.select()
  entries ??= (await (await fetch('/docs/search.json')).json()).map((entry) => ({
    ...entry,
    words: [entry.title, entry.place, entry.text].map((text) => text.toLowerCase()),
  }))
  showResults()
}

/** All words must occur; those in the title count most, and most at its beginning. */
function score({ words: [title, place, text], isPage }, terms) {
  let total = isPage ? 6 : 0
  for (const term of terms) {
    const inTitle = title.startsWith(term)
      ? 12
      : title.includes(` ${term}`)
        ? 8
        : title.includes(term)
          ? 5
          : 0
    const points = inTitle + (place.includes(term) ? 4 : 0) + (text.includes(term) ? 1 : 0)
    if (points === 0) return 0
    total += points
  }
  return total
}

function showResults() {
  const terms = input.value.toLowerCase().split(/\s+/).filter(Boolean)
  if (!entries) return
  const results = entries
    .map((entry) => ({ entry, points: terms.length > 0 ? score(entry, terms) : 0 }))
    .filter(({ points }) => points > 0)
    .sort((left, right) => right.points - left.points)
  found.textContent =
    terms.length === 0 ? '' : results.length === 0 ? 'Nothing found' : `${results.length} found`
  list.replaceChildren(
    ...results.slice(0, maxResults).map(({ entry }) => {
      const item = document.createElement('li')
      const link = document.createElement('a')
      const place = document.createElement('span')
      link.href = entry.href
      link.textContent = entry.title
      place.textContent = entry.place
      link.append(place)
      item.append(link)
      return item
    }),
  )
}

document.querySelector('.search-button').addEventListener('click', () => void openSearch())
input.addEventListener('input', showResults)
// A result on this page is shown without loading it again.
list.addEventListener('click', () => dialog.close())
dialog.querySelector('button').addEventListener('click', () => dialog.close())
dialog.querySelector('form').addEventListener('submit', (event) => {
  event.preventDefault()
  list.querySelector('a')?.click()
})
dialog.addEventListener('keydown', (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (!step) return
  event.preventDefault()
  const stops = [input, ...list.querySelectorAll('a')]
  const at = stops.indexOf(document.activeElement)
  stops[Math.min(Math.max(at + step, 0), stops.length - 1)].focus()
})
document.addEventListener('keydown', (event) => {
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)
  const isShortcut = event.key === '/' || (event.key === 'k' && (event.metaKey || event.ctrlKey))
  if (!isShortcut || (isTyping && event.key === '/') || dialog.open) return
  event.preventDefault()
  void openSearch()
})
