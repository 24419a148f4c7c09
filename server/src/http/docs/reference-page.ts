import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import staticFiles from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { renderDocument } from './layout.ts'

const swaggerFolder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

/** The API reference at /docs/reference: Swagger UI in the look of the console. */
export async function serveReference(app: FastifyInstance): Promise<void> {
  const hidden = { schema: { hide: true } }
  const sheets = ['reference.css', 'reference-operations.css'].map((name) =>
    readFile(new URL(name, import.meta.url), 'utf8'),
  )
  const style = (await Promise.all(sheets)).join('')
  const files = [
    ['/docs/reference', 'text/html', page],
    ['/docs/reference.js', 'text/javascript', script],
    ['/docs/reference.css', 'text/css', style],
  ] as const
  for (const [path, type, content] of files)
    app.get(path, hidden, (_request, reply) => reply.type(`${type}; charset=utf-8`).send(content))
  await app.register(staticFiles, {
    root: swaggerFolder,
    prefix: '/docs/assets/',
    decorateReply: false,
    index: false,
    schemaHide: true,
    allowedPath: (path) => ['/swagger-ui.css', '/swagger-ui-bundle.js'].includes(path),
  })
}

const page = renderDocument({
  title: 'API reference',
  hasMenu: false,
  head: '<link rel="stylesheet" href="/docs/reference.css">',
  body: `<main id="content" tabindex="-1"><div id="reference"></div></main>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/reference.js"></script>`,
})

const script = `const dark = matchMedia('(prefers-color-scheme: dark)')
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
followScheme()
dark.addEventListener('change', followScheme)
// A link inside the button that opens an operation cannot be reached by keyboard: the address follows the button.
const noNestedLinks = ({ React }) => ({ components: { DeepLink: ({ text }) => React.createElement('span', null, text) } })
// That of Swagger UI has a main element of its own, and headings of the third level after the first.
const layout = ({ React: { createElement: h } }) => ({ components: { ReferenceLayout: ({ getComponent, specSelectors }) => {
  if (specSelectors.loadingStatus() !== 'success') return h('p', { className: 'wrapper' }, 'Loading the contract …')
  const part = (name) => h(getComponent(name, true))
  return h('div', { className: 'swagger-ui' }, h(getComponent('SvgAssets')),
    h('div', { className: 'information-container wrapper' }, part('InfoContainer')),
    h('div', { className: 'scheme-container' }, h('div', { className: 'schemes wrapper' }, part('AuthorizeBtnContainer'))),
    part('FilterContainer'), h('h2', { className: 'unseen' }, 'Operations'),
    h('div', { className: 'wrapper' }, part('operations'), part('Models')))
} } })
SwaggerUIBundle({ url: '/api/v1/openapi.json', dom_id: '#reference', deepLinking: true, validatorUrl: null,
  tryItOutEnabled: true, persistAuthorization: false, defaultModelsExpandDepth: 0, docExpansion: 'list', filter: true,
  layout: 'ReferenceLayout', plugins: [noNestedLinks, layout] })
// The search leads to another operation of this page; Swagger UI reads the address once.
addEventListener('hashchange', () => location.hash.startsWith('#/') && location.reload())`
