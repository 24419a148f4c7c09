import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { Marked } from 'marked'
import type { Token, Tokens } from 'marked'
import type { Plugin } from 'vite'

/** A page of the documentation, as the API serves it below /docs. */
interface RenderedPage {
  /** Its address below /docs, such as `guides/start`. */
  path: string
  section: string
  title: string
  /** One sentence about it. */
  summary: string
  html: string
  markdown: string
  parts: PagePart[]
}

/** What stands below one heading. */
interface PagePart {
  id: string
  heading: string
  level: number
  text: string
}

const root = join(import.meta.dirname, '..')
const indexFile = 'docs/guides/README.md'

/** Renders the guides, in the order of their index, into one file that the API reads at its start. */
export const renderGuides = (): Plugin => ({
  name: 'render-guides',
  apply: 'build',
  generateBundle() {
    const index = readFileSync(join(root, indexFile), 'utf8')
    const listed = listPages(index)
    const pathOf = new Map([[indexFile, ''], ...listed.map(({ file, path }) => [file, path] as const)])
    const pages = [
      { file: indexFile, path: '', section: '', title: 'Documentation', summary: '' },
      ...listed,
    ].map(({ file, ...page }) => ({ ...page, ...renderPage(file, pathOf) }) satisfies RenderedPage)
    this.emitFile({ type: 'asset', fileName: 'documentation.json', source: JSON.stringify(pages) })
  },
})

/** The links of the index, by section: `- [title](file). Summary.` */
const listPages = (index: string) =>
  index.split(/^## /m).flatMap((part) => {
    const section = part.split('\n')[0]!
    return [...part.matchAll(/^- \[([^\]]+)\]\(([^)]+\.md)\)(?:\. (.*(?:\n {2}.*)*))?/gm)].map(
      ([, title = '', link = '', summary = '']) => {
        const file = posix.join(posix.dirname(indexFile), link)
        return { file, path: addressOf(file), section, title, summary: summary.replace(/\s+/g, ' ') }
      },
    )
  })

/** docs/guides/start.md → guides/start, client/README.md → client */
const addressOf = (file: string): string =>
  file
    .replace(/^docs\//, '')
    .replace(/(\/README)?\.md$/, '')
    .toLowerCase()

const renderPage = (file: string, pathOf: ReadonlyMap<string, string>) => {
  const markdown = readFileSync(join(root, file), 'utf8')
  const parts: PagePart[] = []
  const ids = new Set<string>()

  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const heading = textOf(tokens)
        const id = uniqueId(heading, ids)
        parts.push({ id, heading, level: depth, text: '' })
        const html = this.parser.parseInline(tokens)
        if (depth === 1) return `<h1>${html}</h1>`
        return `<h${depth} id="${id}">${html} <a class="anchor" href="#${id}" aria-label="Link to ${escape(heading)}">#</a></h${depth}>`
      },
      code: ({ text, lang }) =>
        `<div class="code" data-language="${escape(lang ?? '')}"><pre tabindex="0"><code>${escape(text)}</code></pre></div>`,
      table(token) {
        const row = (cells: Tokens.TableCell[], tag: string) =>
          `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`
        const head = `<thead>${row(token.header, 'th')}</thead>`
        return `<div class="table" tabindex="0"><table>${head}<tbody>${token.rows.map((cells) => row(cells, 'td')).join('')}</tbody></table></div>`
      },
      link({ href, tokens }) {
        const html = this.parser.parseInline(tokens)
        const target = linkTarget(file, href, pathOf)
        return target === null ? html : `<a href="${escape(target)}">${html}</a>`
      },
      codespan: ({ text }) =>
        /^\/(docs|llms)[\w/.-]*$/.test(text)
          ? `<a href="${text}"><code>${text}</code></a>`
          : `<code>${escape(text)}</code>`,
    },
  })
  const tokens = marked.lexer(markdown)
  const html = marked.parser(tokens)
  addTexts(tokens, parts)
  return { html, markdown, parts }
}

/** The text below each heading, for the search. */
const addTexts = (tokens: Token[], parts: PagePart[]): void => {
  let at = -1
  for (const token of tokens)
    if (token.type === 'heading') at += 1
    else if (parts[at] && token.type !== 'space') parts[at]!.text += `${textOf([token])} `
}

const textOf = (tokens: readonly Token[]): string =>
  tokens
    .map((token) => {
      if (token.type === 'table') {
        const { header, rows } = token as Tokens.Table
        return [header, ...rows].map((cells) => cells.map((cell) => textOf(cell.tokens)).join(' ')).join(' ')
      }
      if (token.type === 'list')
        return (token as Tokens.List).items.map((item) => textOf(item.tokens)).join(' ')
      if (token.type === 'html') return ''
      if ('tokens' in token && token.tokens) return textOf(token.tokens)
      return 'text' in token ? String(token.text) : ''
    })
    .join('')

const uniqueId = (heading: string, taken: Set<string>): string => {
  const id = heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
  const free = taken.has(id) ? `${id}-${taken.size}` : id
  taken.add(free)
  return free
}

/** The address of a link on the page; null for a file that is not served. */
const linkTarget = (file: string, href: string, pathOf: ReadonlyMap<string, string>): string | null => {
  if (/^(https?:|#)/.test(href)) return href
  const [name = '', hash] = href.split('#')
  const path = pathOf.get(posix.join(posix.dirname(file), name))
  if (path === undefined) return null
  return `/docs${path && `/${path}`}${hash ? `#${hash}` : ''}`
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escape = (text: string): string => text.replace(/[&<>"]/g, (character) => entities[character]!)
