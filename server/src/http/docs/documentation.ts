import { existsSync, readFileSync } from 'node:fs'
import { problemTypes } from '../problem-types.ts'

/** A page that `console/render-guides.ts` rendered when the console was built. */
export interface RenderedPage {
  /** Its address below /docs; empty for the first page. */
  readonly path: string
  readonly section: string
  readonly title: string
  readonly summary: string
  readonly html: string
  readonly markdown: string
  readonly parts: readonly { id: string; heading: string; level: number; text: string }[]
}

/** The rendered pages, in the order of the navigation; none before the console was built. */
export function readDocumentation(file: string): RenderedPage[] {
  if (!existsSync(file)) return []
  const pages = JSON.parse(readFileSync(file, 'utf8')) as RenderedPage[]
  return pages.map((page) => ({ ...page, html: linkProblems(page.html) }))
}

/** The code of a problem leads to its entry in the catalogue. */
const linkProblems = (html: string) =>
  html.replace(/<code>([a-z-]+)<\/code>/g, (code, name: string) =>
    Object.hasOwn(problemTypes, name) ? `<a href="/docs/errors#${name}">${code}</a>` : code,
  )

export interface NavigationItem {
  readonly section: string
  readonly title: string
  readonly href: string
}

/** What the navigation lists beside the rendered pages. */
const generatedPages: NavigationItem[] = [
  { section: 'Reference', title: 'API reference', href: '/docs/reference' },
  { section: 'Reference', title: 'Errors', href: '/docs/errors' },
]

export const hrefOf = ({ path }: Pick<RenderedPage, 'path'>) => (path ? `/docs/${path}` : '/docs')

/** All pages, section by section. */
export function listNavigation(pages: readonly RenderedPage[]): NavigationItem[] {
  const items = pages
    .filter(({ path }) => path)
    .map((page) => ({ section: page.section, title: page.title, href: hrefOf(page) }))
  const isReference = ({ section }: NavigationItem) => section === 'Reference'
  return [...items.filter((item) => !isReference(item)), ...generatedPages, ...items.filter(isReference)]
}
