import type { NavigationItem } from './documentation.ts'

interface Layout {
  readonly title: string
  /** The address of the page, to mark it in the navigation. */
  readonly href: string
  readonly navigation: readonly NavigationItem[]
  readonly content: string
  /** Headings of the second level. */
  readonly contents?: readonly { id: string; heading: string }[]
  /** The address of the page as Markdown. */
  readonly markdown?: string
}

export const escapeHtml = (text: string) =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

/** A page with a bar, the navigation, its content, and what stands before and after it. */
export const renderPage = ({ title, href, navigation, content, contents = [], markdown }: Layout): string =>
  renderDocument({
    title,
    head: markdown ? `<link rel="alternate" type="text/markdown" href="${markdown}">` : '',
    hasMenu: true,
    body: `<div class="page">
<nav id="menu" class="menu" aria-label="Documentation">${renderMenu(navigation, href)}</nav>
<main id="content" tabindex="-1"><article>${content}</article>${renderNeighbours(navigation, href)}</main>
${contents.length > 1 ? renderContents(contents) : '<span></span>'}
</div>`,
  })

/** The frame of every page below /docs. */
export const renderDocument = (page: { title: string; head: string; hasMenu: boolean; body: string }) =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(page.title)} · Vacancy</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/docs.css">
${page.head}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="bar">
${page.hasMenu ? '<button class="quiet menu-button" type="button" aria-expanded="false" aria-controls="menu">Menu</button>' : ''}
<a class="brand" href="/docs"><svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true">
<rect width="32" height="32" rx="8" fill="#17605a"/><path d="M8 9l8 15 8-15" fill="none" stroke="#fff"
stroke-width="3.2" stroke-linecap="round" stroke-linejoin="round"/><circle cx="16" cy="9.4" r="2.2" fill="#9fe0d3"/>
</svg>Vacancy <span class="place">Docs</span></a>
<button class="quiet search-button" type="button" aria-haspopup="dialog">Search<kbd>/</kbd></button>
<a class="wide" href="/docs/reference">Reference</a>
<a href="/">Console</a>
</header>
${page.body}
<dialog class="search" aria-label="Search">
<form><input type="search" placeholder="Search guides, operations, errors" aria-label="Search guides, operations and errors" autocomplete="off" spellcheck="false"><button class="quiet" type="button">Close</button></form>
<p class="found" role="status"></p>
<ul></ul>
</dialog>
<script src="/docs/docs.js"></script>
</body>
</html>`

function renderMenu(navigation: readonly NavigationItem[], current: string): string {
  const sections = [...new Set(navigation.map(({ section }) => section))]
  return sections
    .map((section) => {
      const items = navigation.filter((item) => item.section === section)
      return `<h2>${escapeHtml(section)}</h2><ul>${items.map((item) => renderItem(item, current)).join('')}</ul>`
    })
    .join('')
}

const renderItem = ({ href, title }: NavigationItem, current: string) =>
  `<li><a href="${href}"${href === current ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`

function renderNeighbours(navigation: readonly NavigationItem[], current: string): string {
  const at = navigation.findIndex(({ href }) => href === current)
  const [previous, next] = [navigation[at - 1], navigation[at + 1]]
  const link = (item: NavigationItem | undefined, rel: string, label: string) =>
    item
      ? `<a rel="${rel}" href="${item.href}"><span>${label}</span>${escapeHtml(item.title)}</a>`
      : '<span></span>'
  return `<nav class="neighbours" aria-label="Previous and next page">${link(previous, 'prev', 'Previous')}${link(next, 'next', 'Next')}</nav>`
}

const renderContents = (contents: NonNullable<Layout['contents']>) =>
  `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${contents
    .map(({ id, heading }) => `<li><a href="#${id}">${escapeHtml(heading)}</a></li>`)
    .join('')}</ul></nav>`
