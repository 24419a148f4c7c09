import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** The addresses of the console, each with its screen; a new one is added here so that its address answers 200. */
const screens: Record<string, string | null> = {
  '/': 'today/today',
  '/callback': null,
  '/calendar': 'calendar/calendar',
  '/bookings': 'bookings/bookings',
  '/bookings/new': 'bookings/new-booking',
  '/bookings/:id': 'bookings/booking',
  '/analytics': 'analytics/analytics',
  '/inbox': 'inbox/inbox',
  '/listings/:id': 'listings/listing-page',
  '/start': 'start/start',
  '/units': 'portfolio/portfolio',
  '/units/listings/:id': 'portfolio/portfolio',
  '/units/new': 'units/new-unit',
  '/units/:id': 'units/unit',
  '/spaces/new': 'spaces/new-space',
  '/spaces/:id': 'spaces/space',
  '/channels': 'channels/channels',
  '/channels/new': 'channels/connect',
  '/channels/:id': 'channels/channel',
  '/channels/:id/link': 'link/link',
  '/import': 'import/import-start',
  '/import/:id': 'import/import-page',
  '/import/file/:id': 'import-file/file-import-page',
  '/settings': 'settings/settings',
  '/settings/:section': 'settings/settings',
  '/settings/:section/:id': 'settings/settings',
  '/stop-sell': 'stop-sell/stop-sell',
  '/payments': 'payments/payments',
  '/audit': 'audit/audit',
}

export const consolePaths = Object.keys(screens)

interface Chunk {
  file: string
  imports?: string[]
  css?: string[]
}

interface ConsolePages {
  /** The page of addresses without a screen. */
  readonly index: string
  readonly byPath: ReadonlyMap<string, string>
}

/**
 * Returns a function that gives the pages of the current build. A page names files of its build, which are gone after the
 * next one: without reading them again, everybody would get a blank page until the API is restarted.
 */
export async function openConsolePages(folder: string): Promise<() => Promise<ConsolePages>> {
  // The last file of a build; between two builds it is absent for a moment, in which the pages stay as they are.
  const buildTime = async () => (await stat(join(folder, 'manifest.json'))).mtimeMs
  let builtAt = await buildTime()
  let pages = readConsolePages(folder)
  await pages
  return async () => {
    const current = await buildTime().catch(() => builtAt)
    if (current === builtAt) return pages
    const read = readConsolePages(folder)
    return await read.then(
      () => {
        builtAt = current
        return (pages = read)
      },
      () => pages,
    )
  }
}

/**
 * Reads the console's page, as it is for each of its addresses: the files of the screen are named in it, so that a
 * browser loads them beside the first script instead of after it.
 */
async function readConsolePages(folder: string): Promise<ConsolePages> {
  const index = await readFile(join(folder, 'index.html'), 'utf8')
  const chunks = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as Record<string, Chunk>
  const pages = Object.entries(screens).map(([path, screen]) => {
    const files = new Set<string>()
    if (screen) addFiles(chunks, `src/pages/${screen}.tsx`, files)
    const links = [...files].filter((file) => !index.includes(file)).map(linkTo)
    return [path, index.replace('</head>', () => `${links.join('')}</head>`)] as const
  })
  return { index, byPath: new Map(pages) }
}

function addFiles(chunks: Record<string, Chunk>, name: string, files: Set<string>): void {
  const chunk = chunks[name]
  if (!chunk || files.has(chunk.file)) return
  files.add(chunk.file)
  for (const file of chunk.css ?? []) files.add(file)
  for (const imported of chunk.imports ?? []) addFiles(chunks, imported, files)
}

const linkTo = (file: string) =>
  file.endsWith('.css')
    ? `<link rel="stylesheet" crossorigin href="/${file}">`
    : `<link rel="modulepreload" crossorigin href="/${file}">`
