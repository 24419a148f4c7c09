import { after, afterEach, before, beforeEach } from 'node:test'

import type { Browser } from '@playwright/test'
import { closeAtProcessEnd } from '../../server/test/process-end.ts'
import { callApi, tokenIn } from './api.ts'
import type { Api } from './api.ts'
import { isShown, openBrowser, openPage, signIn } from './browser.ts'
import type { OpenedPage, PageOptions } from './browser.ts'
import { setPmsFaults } from './pms.ts'
import { startProduct } from './product.ts'
import type { Product } from './product.ts'

/** The console of a product that runs. Pages that a test opens are closed when it ends, others after the file. */
export interface ConsoleUnderTest {
  readonly product: Product
  readonly url: string
  /** Opens an address in a new browser profile, signed in by role or by name. */
  openAs: (role: string, path?: string, options?: PageOptions) => Promise<OpenedPage>
  /** The same without a session. */
  openSignedOut: (path?: string, options?: PageOptions) => Promise<OpenedPage>
  /** Calls the API as somebody else would do meanwhile. */
  apiAs: (role: string) => Api
  /** The header that this person's requests have. */
  authorizationOf: (role: string) => Promise<string>
}

interface Running {
  product: Product
  browser: Browser
  /** What the browser keeps of each person who has signed in. */
  sessions: Map<string, Promise<string>>
}

/** What Node documents and its types lack. */
interface EndedTest {
  name: string
  passed: boolean
}

let shared: Promise<Running> | undefined

/** For the suite of a file. The product and the browser are started once for all files of a process. */
export const useConsole = (): ConsoleUnderTest => {
  let running: Running | undefined
  let pages: OpenedPage[] = []
  let kept: OpenedPage[] = []

  before(async () => {
    running = await (shared ??= start())
  })
  beforeEach(() => {
    kept = pages
    pages = []
  })
  afterEach(async (context) => {
    const { passed, name } = context as unknown as EndedTest
    if (!passed) for (const opened of [...kept, ...pages]) await describeScreen(name, opened)
    await closePages(pages)
    pages = kept
  })
  after(async () => {
    await closePages(pages)
    if (running) await setPmsFaults(running.product)
  })

  const whenRunning = () => {
    if (!running) throw new Error('The product is started before the first test, not earlier')
    return running
  }
  const open = async (path: string, options: PageOptions | undefined, session?: string) => {
    const { browser, product } = whenRunning()
    const opened = await openPage(browser, product.apiUrl, options)
    pages.push(opened)
    // Twenty analytics in a minute are the whole budget of an organization. This also has requests intercepted from the
    // start: after the first `route` of an open page, Chromium still lets some through.
    await opened.page.context().route('**/api/v1/admin/analytics*', (route) => {
      const headers = { ...route.request().headers(), 'x-internal-token': product.internalToken }
      return route.continue({ headers })
    })
    if (session) await opened.page.addInitScript(restore(product.apiUrl, session))
    await opened.page.goto(product.apiUrl + path)
    return opened
  }
  const authorizationOf = async (role: string) => `Bearer ${tokenIn(await sessionOf(whenRunning(), role))}`
  return {
    get product() {
      return whenRunning().product
    },
    get url() {
      return whenRunning().product.apiUrl
    },
    openAs: async (role, path = '/', options) => {
      const opened = await open(path, options, await sessionOf(whenRunning(), role))
      await isShown(opened.page)
      return opened
    },
    openSignedOut: (path = '/', options) => open(path, options),
    apiAs: (role) => async (method, path, body) =>
      callApi(whenRunning().product, await authorizationOf(role), method, path, body),
    authorizationOf,
  }
}

const start = async (): Promise<Running> => {
  const browser = await openBrowser()
  closeAtProcessEnd(() => browser.close())
  const product = await startProduct()
  closeAtProcessEnd(() => product[Symbol.asyncDispose]())
  return { product, browser, sessions: new Map() }
}

/** Signs in where a person does, once for each of them: it takes longer than most tests. */
const sessionOf = ({ browser, product, sessions }: Running, role: string): Promise<string> => {
  const signedIn = async () => {
    const { page } = await openPage(browser, product.apiUrl)
    await signIn(page, product.apiUrl, role)
    const session = await page.evaluate<string>('JSON.stringify(sessionStorage)')
    await page.context().close()
    return session
  }
  const session = sessions.get(role) ?? signedIn()
  sessions.set(role, session)
  return session
}

/** A tab keeps its session itself: a new one is given that of its person, but not again after signing out. */
const restore = (url: string, session: string) => `
  if (location.origin === ${JSON.stringify(url)} && !sessionStorage.getItem('restored')) {
    sessionStorage.setItem('restored', 'true')
    for (const [key, value] of Object.entries(${session})) sessionStorage.setItem(key, value)
  }`

const closePages = (opened: readonly OpenedPage[]) =>
  Promise.all(opened.map(({ page }) => page.context().close()))

/** What was on the screen when a test failed, and what had gone wrong until then. */
const describeScreen = async (test: string, { page, witness }: OpenedPage) => {
  const screen = await page
    .locator('body')
    .ariaSnapshot({ timeout: 5_000 })
    .catch((error: unknown) => String(error))
  console.error(
    [`“${test}” failed at ${page.url()}, which shows:`, screen, ...witness.complaints, ''].join('\n'),
  )
}
