import { STATUS_CODES } from 'node:http'
import { problemTypes, type ProblemCode } from '../problem-types.ts'
import { escapeHtml } from './layout.ts'

export const problemCodes = Object.keys(problemTypes) as ProblemCode[]

/** The catalogue of all problems, by status. */
export function renderCatalogue(): { content: string; contents: { id: string; heading: string }[] } {
  const statuses = [...new Set(problemCodes.map((code) => problemTypes[code].status))].sort((a, b) => a - b)
  const contents = statuses.map((status) => ({
    id: String(status),
    heading: `${status} ${STATUS_CODES[status]}`,
  }))
  const sections = contents.map(({ id, heading }) => {
    const codes = problemCodes.filter((code) => String(problemTypes[code].status) === id)
    const entries = codes.map((code) => `<section class="problem">${renderEntry(code, 'h3')}</section>`)
    return `<h2 id="${id}">${heading} <a class="anchor" href="#${id}" aria-label="Link to ${heading}">#</a></h2>${entries.join('')}`
  })
  const content = `<h1>Errors</h1>
<p>Every error is a problem document (RFC 9457). Decide by its <code>code</code>, which never changes; <code>type</code> is the address
of its entry here. <a href="/docs/guides/errors-and-retries">Errors and retries</a> says which requests to repeat.</p>${sections.join('')}`
  return { content, contents }
}

/** The page behind the `type` of a problem. */
export const renderProblem = (code: ProblemCode) =>
  `<section class="problem">${renderEntry(code, 'h1')}</section><p><a href="/docs/errors">All errors</a></p>`

function renderEntry(code: ProblemCode, heading: 'h1' | 'h3'): string {
  const { status, title, cause, remedy } = problemTypes[code]
  const anchor =
    heading === 'h3' ? ` <a class="anchor" href="#${code}" aria-label="Link to ${code}">#</a>` : ''
  return `<${heading} id="${code}">${escapeHtml(title)}${anchor}</${heading}>
<p><code>${status}</code> <code>${code}</code></p>
<dl><dt>Why</dt><dd>${withCode(cause)}</dd><dt>What to do</dt><dd>${withCode(remedy)}</dd></dl>`
}

const withCode = (text: string) => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')
