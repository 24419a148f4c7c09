import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { parse } from '@formatjs/icu-messageformat-parser'
import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig } from 'vite'
import type { Plugin } from 'vite'
import { renderGuides } from './render-guides.ts'

const api = 'http://127.0.0.1:3000'

/**
 * Parses the texts of every `…messages.ts` while the console is built, and leaves the parser out of it: that takes
 * 10 KiB from each page. While developing, texts are parsed in the browser.
 */
const parseMessages = (): Plugin => ({
  name: 'parse-messages',
  apply: 'build',
  enforce: 'pre',
  config: () => ({
    resolve: {
      alias: { '@formatjs/icu-messageformat-parser': '@formatjs/icu-messageformat-parser/no-parser.js' },
    },
  }),
  async load(path) {
    if (!/[/-]messages\.ts$/.test(path) || path.endsWith('i18n/messages.ts')) return null
    const module = (await import(pathToFileURL(path).href)) as Record<string, unknown>
    const parseText = (_key: string, value: unknown) =>
      typeof value === 'string' && value.includes('{') ? parse(value, { ignoreTag: true }) : value
    return Object.entries(module)
      .map(([name, messages]) => `export const ${name} = ${JSON.stringify(messages, parseText)}`)
      .join('\n')
  },
})

/** The first requests are sent by a file that does not wait for the other scripts. */
const runFirstRequests = (): Plugin => ({
  name: 'run-first-requests',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle = {} }) => {
      const file = Object.keys(bundle).find((name) => name.startsWith('assets/first-requests-'))
      if (!file) throw new Error('The first requests have no file of their own')
      const attrs = { type: 'module', async: true, crossorigin: true, fetchpriority: 'high', src: `/${file}` }
      return [{ tag: 'script', attrs, injectTo: 'head-prepend' }]
    },
  },
})

interface Modules {
  getModuleInfo: (id: string) => { importedIds: string[] } | null
}

/** The calendar and what it imports of its folder: not its dialogs, which are loaded when they are opened. */
const loadedWithCalendar = (modules: Modules): ReadonlySet<string> => {
  const found = new Set<string>()
  const add = (id: string) => {
    if (found.has(id) || !/console.src.pages.calendar/.test(id)) return
    found.add(id)
    for (const imported of modules.getModuleInfo(id)?.importedIds ?? []) add(imported)
  }
  add(join(import.meta.dirname, 'src/pages/calendar/calendar.tsx'))
  return found
}

export default defineConfig({
  plugins: [react(), parseMessages(), renderGuides(), runFirstRequests()],
  // The client is built from its source.
  resolve: { conditions: ['@vacancy/source', ...defaultClientConditions] },
  build: {
    assetsInlineLimit: 0,
    // From it the API tells a browser which files the screen of an address needs.
    manifest: 'manifest.json',
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        chunkFileNames: ({ name }) =>
          name.startsWith('shared') ? 'assets/shared-[hash].js' : 'assets/[name]-[hash].js',
        // Few files: each costs a screen a header of almost 1 KiB and, on HTTP/1.1, a place in the queue.
        codeSplitting: {
          groups: [
            {
              name: 'first-requests',
              test: /console.src.(first-requests|pages.calendar.(first-nights|nights|tile))\.ts$/,
              priority: 4,
            },
            {
              name: 'vendor',
              test: /node_modules.(react|react-dom|scheduler|@tanstack.(?!.*(virtual|table)))/,
              priority: 3,
            },
            {
              name: 'start',
              tags: ['$initial'],
              test: /node_modules|client.src|console.src.(?!main)/,
              priority: 2,
            },
            // What almost every screen has.
            { name: 'common', minShareCount: 24, priority: 1.5 },
            {
              name: 'shared',
              // The calendar's own modules are in its own file, not in one for each dialog that uses some of them.
              test: /^(?!.*console.src.pages.calendar)/,
              minShareCount: 2,
              entriesAware: true,
              entriesAwareMergeThreshold: 1_300,
              priority: 1,
            },
            {
              name: (id, modules) => (loadedWithCalendar(modules).has(id) ? 'calendar-parts' : null),
              debugName: 'calendar-parts',
            },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': api, '/console.json': api, '/problems': api } },
})
