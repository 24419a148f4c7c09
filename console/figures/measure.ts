import type { CDPSession, Page } from '@playwright/test'

/** A row of the table in console/README.md. */
export type Row = [what: string, goal: string, measured: string]

export const median = (values: readonly number[]) => percentile(values, 50)

export const percentile = (values: readonly number[], rank: number) => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * rank) / 100))] ?? Number.NaN
}

interface Visit {
  firstPaintMs: number
  firstNightsMs: number
}

/** Milliseconds from the beginning of the navigation until something, and until the first nights are on the screen. */
export const visit = async (page: Page, address: string): Promise<Visit> => {
  await page.goto(address, { waitUntil: 'commit' })
  return page.evaluate(`new Promise((resolve) => {
    // On a fast machine both are one frame, of which the entry is not there yet.
    const firstPaint = () =>
      performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? performance.now()
    const look = () => document.querySelector('[data-row="unit"] [data-day]:not([data-state="loading"])')
      ? requestAnimationFrame(() => resolve({ firstPaintMs: firstPaint(), firstNightsMs: performance.now() }))
      : requestAnimationFrame(look)
    look()
  })`)
}

const frames = 150
const frameStepPx = { top: 160, left: 120 }

export interface Fling {
  scriptMs: number[]
  maxNodes: number
}

/** Scrolls the calendar a step in each frame; script is counted in time of the processor, so other programs do not matter. */
export const fling = async (page: Page, direction: 'top' | 'left'): Promise<Fling> => {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const scriptMs: number[] = []
  let maxNodes = 0
  const step = direction === 'top' ? `0, ${frameStepPx.top}` : `${frameStepPx.left}, 0`
  let before = await scriptTime(session)
  for (let frame = 0; frame < frames; frame += 1) {
    const nodes = await page.evaluate<number>(`new Promise((resolve) => {
      document.querySelector('[role="grid"]').scrollBy(${step})
      requestAnimationFrame(() => setTimeout(() => resolve(document.querySelectorAll('*').length)))
    })`)
    const after = await scriptTime(session)
    scriptMs.push((after - before) * 1000)
    before = after
    maxNodes = Math.max(maxNodes, nodes)
  }
  await session.detach()
  return { scriptMs, maxNodes }
}

const scriptTime = async (session: CDPSession): Promise<number> => {
  const { metrics } = await session.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? 0
}

const quietMs = 1500

/** KiB of script and styles that a cold visit of an address takes over the wire. */
export const coldSizes = async (page: Page, address: string): Promise<{ script: number; style: number }> => {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
  const kinds = new Map<string, string>()
  const bytes: Record<string, number> = {}
  let lastMs = performance.now()
  session.on('Network.responseReceived', ({ requestId, type }) => kinds.set(requestId, type))
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const kind = kinds.get(requestId) ?? ''
    lastMs = performance.now()
    bytes[kind] = (bytes[kind] ?? 0) + encodedDataLength
  })
  await page.goto(address)
  // The event stream never ends, so the network is never idle: the page is complete when nothing else came for a while.
  while (performance.now() - lastMs < quietMs) await page.waitForTimeout(100)
  await session.send('Network.setCacheDisabled', { cacheDisabled: false })
  await session.detach()
  return { script: (bytes.Script ?? 0) / 1024, style: (bytes.Stylesheet ?? 0) / 1024 }
}

/** Slow 4G as Lighthouse has it, and a processor that is four times slower. */
export const slow4g = { latencyMs: 150, bytesPerMs: 1638.4 / 8 }
export const slowProcessor = 4

export const slowDown = async (page: Page) => {
  const session = await page.context().newCDPSession(page)
  const throughput = slow4g.bytesPerMs * 1000
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: slow4g.latencyMs,
    downloadThroughput: throughput,
    uploadThroughput: throughput / 2,
  })
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowProcessor })
}
