import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { openBrowser, openPage, signIn } from '../test/browser.ts'
import type { Product } from '../test/product.ts'
import type { Row } from './measure.ts'

/** Installed for one run only: with its dependencies it is larger than everything else that the tests need. */
const version = '13.5.0'
const debuggingPort = 9333
const categories = ['performance', 'accessibility', 'best-practices']

interface RemotePage {
  url: () => string
}

interface Result {
  lhr: { categories: Record<string, { score: number | null }> }
}

interface Modules {
  desktopConfig: object
  lighthouse: (
    address: string,
    flags: object,
    config: object | undefined,
    page: RemotePage,
  ) => Promise<Result>
  connect: (options: object) => Promise<{
    browserContexts: () => { pages: () => Promise<RemotePage[]> }[]
    disconnect: () => Promise<void>
  }>
}

/** The scores of the calendar and the portfolio for somebody who is signed in. */
export const measureLighthouse = async ({ apiUrl: url, home }: Product): Promise<Row[]> => {
  const { lighthouse, desktopConfig, connect } = await install(join(home, 'lighthouse'))
  const browser = await openBrowser([`--remote-debugging-port=${debuggingPort}`])
  try {
    const { page } = await openPage(browser, url)
    await signIn(page, url, 'owner')
    const remote = await connect({
      browserURL: `http://127.0.0.1:${debuggingPort}`,
      defaultViewport: null,
    })
    const pages = (await Promise.all(remote.browserContexts().map((context) => context.pages()))).flat()
    const signedInPage = pages.find((one) => one.url().startsWith(url))!
    // The event stream never ends, so the network is never idle.
    const flags = {
      ...{ port: debuggingPort, disableStorageReset: true, onlyCategories: categories },
      ...{ logLevel: 'error', maxWaitForLoad: 10_000 },
    }
    const score = async (path: string, config: object | undefined) => {
      const { lhr } = await lighthouse(url + path, flags, config, signedInPage)
      return categories.map((name) => Math.round((lhr.categories[name]?.score ?? 0) * 100)).join('/')
    }
    const rows: Row[] = []
    for (const path of ['/calendar', '/units']) {
      const what = `Lighthouse of \`${path}\`: performance, accessibility, best practices`
      rows.push([`${what}, desktop`, '95/100/100', await score(path, desktopConfig)])
      rows.push([`${what}, mobile`, '85/100/100', await score(path, undefined)])
    }
    await remote.disconnect()
    return rows
  } finally {
    await browser.close()
  }
}

const install = async (folder: string): Promise<Modules> => {
  execFileSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', `lighthouse@${version}`])
  const load = (path: string) =>
    import(pathToFileURL(join(folder, 'node_modules', path)).href) as Promise<Record<string, unknown>>
  const { default: lighthouse, desktopConfig } = await load('lighthouse/core/index.js')
  const { connect } = await load('puppeteer-core/lib/puppeteer/puppeteer-core.js')
  return { lighthouse, desktopConfig, connect } as Modules
}
