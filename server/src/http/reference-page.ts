import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import staticFiles from '@fastify/static'
import type { FastifyInstance } from 'fastify'

const swaggerFolder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

/** The API reference at /docs: Swagger UI in the look of the console. */
export async function serveReference(app: FastifyInstance): Promise<void> {
  const hidden = { schema: { hide: true } }
  const sheets = ['reference.css', 'reference-operations.css'].map((name) =>
    readFile(new URL(name, import.meta.url), 'utf8'),
  )
  const style = (await Promise.all(sheets)).join('')
  const files = [
    ['/docs', 'text/html', page],
    ['/docs/start.js', 'text/javascript', script],
    ['/docs/style.css', 'text/css', style],
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

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API reference · Vacancy</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<header class="bar">
<a class="brand" href="/" aria-label="Vacancy, the console"><svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true">
<rect width="32" height="32" rx="8" fill="#17605a"/><path d="M8 9l8 15 8-15" fill="none" stroke="#fff"
stroke-width="3.2" stroke-linecap="round" stroke-linejoin="round"/><circle cx="16" cy="9.4" r="2.2" fill="#9fe0d3"/>
</svg>Vacancy</a>
<span class="place">API reference</span>
<a class="contract" href="/api/v1/openapi.json">OpenAPI</a>
<a href="/">Console</a>
</header>
<main id="reference"></main>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>`

const script = `const dark = matchMedia('(prefers-color-scheme: dark)')
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
followScheme()
dark.addEventListener('change', followScheme)
// A link inside the button that opens an operation cannot be reached by keyboard: the address follows the button.
const noNestedLinks = ({ React }) => ({ components: { DeepLink: ({ text }) => React.createElement('span', null, text) } })
SwaggerUIBundle({ url: '/api/v1/openapi.json', dom_id: '#reference', deepLinking: true, validatorUrl: null,
  tryItOutEnabled: true, persistAuthorization: false, defaultModelsExpandDepth: 0, docExpansion: 'list', filter: true,
  plugins: [noNestedLinks] })`
