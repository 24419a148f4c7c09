import { readFile } from 'node:fs/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { listNavigation, hrefOf, readDocumentation, type RenderedPage } from './documentation.ts'
import { problemCodes, renderCatalogue, renderProblem } from './error-pages.ts'
import { renderPage } from './layout.ts'
import { describeForModels, joinForModels } from './llms.ts'
import { serveReference } from './reference-page.ts'
import { buildSearchIndex, type Contract } from './search-index.ts'

/** The documentation: guides and pages at /docs, the reference, the catalogue of errors, and texts for language models. */
export async function serveDocs(
  app: FastifyInstance,
  { file, publicUrl, readContract }: { file: string; publicUrl: string; readContract(): Promise<string> },
): Promise<void> {
  const hidden = { schema: { hide: true } }
  const pages = readDocumentation(file)
  const navigation = listNavigation(pages)
  const files = new Map<string, { type: string; content: () => string | Promise<string> }>()
  const add = (path: string, type: string, content: () => string | Promise<string>) =>
    files.set(path, { type, content })

  for (const page of pages) {
    add(page.path, 'text/html', () => renderGuide(page))
    add(`${page.path || 'index'}.md`, 'text/markdown', () => page.markdown)
  }
  const renderGuide = (page: RenderedPage) =>
    renderPage({
      title: page.title,
      href: hrefOf(page),
      navigation,
      content: page.path ? page.html : `<div class="home">${page.html.replaceAll('</a>. ', '</a>')}</div>`,
      contents: page.path ? page.parts.filter(({ level }) => level === 2) : [],
      markdown: `/docs/${page.path || 'index'}.md`,
    })
  add('errors', 'text/html', () =>
    renderPage({ title: 'Errors', href: '/docs/errors', navigation, ...renderCatalogue() }),
  )
  let index: string | undefined
  add(
    'search.json',
    'application/json',
    async () =>
      (index ??= JSON.stringify(buildSearchIndex(pages, JSON.parse(await readContract()) as Contract))),
  )
  const read = (name: string) => readFile(new URL(name, import.meta.url), 'utf8')
  const sheets = await Promise.all(['docs.css', 'navigation.css', 'article.css', 'search.css'].map(read))
  const script = await read('docs.js')
  add('docs.css', 'text/css', () => sheets.join(''))
  add('docs.js', 'text/javascript', () => script)

  const send = async (reply: FastifyReply, path: string) => {
    const found = files.get(path)
    if (!found) return reply.callNotFound()
    return reply
      .header('cache-control', 'no-cache')
      .type(`${found.type}; charset=utf-8`)
      .send(await found.content())
  }
  app.get('/docs', hidden, (_request, reply) =>
    files.has('') ? send(reply, '') : reply.redirect('/docs/reference'),
  )
  app.get('/docs/*', hidden, (request, reply) => send(reply, (request.params as { '*': string })['*']))
  app.get('/problems/:code', hidden, (request, reply) => {
    const code = problemCodes.find((one) => one === (request.params as { code: string }).code)
    if (!code) return reply.callNotFound()
    const content = renderProblem(code)
    return reply
      .type('text/html; charset=utf-8')
      .send(renderPage({ title: code, href: '/docs/errors', navigation, content }))
  })
  app.get('/llms.txt', hidden, (_request, reply) =>
    reply.type('text/plain; charset=utf-8').send(describeForModels(pages, publicUrl)),
  )
  app.get('/llms-full.txt', hidden, (_request, reply) =>
    reply.type('text/plain; charset=utf-8').send(joinForModels(pages)),
  )
  await serveReference(app)
}
