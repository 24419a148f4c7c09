import { problemTypes } from '../problem-types.ts'
import { hrefOf, type RenderedPage } from './documentation.ts'
import { problemCodes } from './error-pages.ts'

/** What the search of the documentation finds: a part of a page, an operation or a problem. */
interface SearchEntry {
  readonly title: string
  /** Where it is: the page, or the kind. */
  readonly place: string
  readonly href: string
  readonly text: string
  /** A whole page stands before its parts. */
  readonly isPage?: true
}

/** The part of openapi.json that is searched. */
export interface Contract {
  readonly paths?: Readonly<Record<string, unknown>> | undefined
}

interface ContractOperation {
  readonly operationId?: string
  readonly summary?: string
  readonly tags?: readonly string[]
}

export const buildSearchIndex = (pages: readonly RenderedPage[], contract: Contract): SearchEntry[] => [
  ...pages.flatMap(listParts),
  ...problemCodes.map((code) => ({
    title: code,
    place: 'Error',
    href: `/docs/errors#${code}`,
    text: Object.values(problemTypes[code]).join(' '),
  })),
  ...listOperations(contract),
]

const listParts = (page: RenderedPage): SearchEntry[] =>
  page.parts.map(({ id, heading, level, text }) => ({
    title: heading,
    place: level === 1 ? page.section || 'Guides' : page.title,
    href: level === 1 ? hrefOf(page) : `${hrefOf(page)}#${id}`,
    text,
    ...(level === 1 && { isPage: true }),
  }))

const methods = ['get', 'post', 'put', 'patch', 'delete']

function listOperations({ paths = {} }: Contract): SearchEntry[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, ContractOperation>)
      .filter(([method]) => methods.includes(method))
      .map(([method, { summary = '', tags = [], operationId = '' }]) => ({
        title: summary,
        place: `${method.toUpperCase()} ${path}`,
        href: `/docs/reference#/${encodeURIComponent(tags[0] ?? 'default')}/${operationId}`,
        text: tags.join(' '),
      })),
  )
}
