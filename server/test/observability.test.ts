import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { before, suite, test } from 'node:test'
import { events } from '#telemetry/log.ts'
import { metrics } from '#telemetry/metrics.ts'
import { askPromtool, parseMetrics, promtool, type ParsedMetrics } from './prometheus-text.ts'
import { parseAlerts, parsePromql } from './promql.ts'
import { addLinkedUnit } from './linked-units.ts'
import { openWorld } from './world.ts'

/** The dashboard and the alerts use existing metrics. */

const folder = resolve(import.meta.dirname, '../../observability')
const read = (name: string) => readFileSync(join(folder, name), 'utf8')

interface Panel {
  id: number
  type: string
  title: string
  gridPos: { h: number; w: number; x: number; y: number }
  targets?: { refId: string; expr: string }[]
}
const dashboard = JSON.parse(read('dashboard.json')) as {
  uid: string
  schemaVersion: number
  panels: Panel[]
  templating: { list: { name: string }[] }
}
const alerts = parseAlerts(read('alerts.yaml'))
const shown = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({ place: `the panel ${title}`, expr })),
)
const asked = [...shown, ...alerts.map(({ alert, expr }) => ({ place: `the alert ${alert}`, expr }))]

let served: ParsedMetrics
before(async () => {
  await using world = await openWorld({ workers: true })
  await addLinkedUnit(await world.home.as('owner'))
  await world.settled()
  // Everything has happened once, so that every label is there.
  metrics.rateLimitDecided('bookings', 'refused')
  metrics.deliveryEnded('retried')
  metrics.messageEnded('email', 'failed')
  metrics.spansEnded('exported')
  metrics.taskEnded('check-targets', 'completed')
  metrics.problemAnswered('booking-conflict')
  events.rateLimitStoreRestored()
  served = parseMetrics((await world.caller(null).get('/metrics')).text)
})

const familyOf = (name: string) => {
  if (name === targetState) return name
  const family = name.replace(/_(bucket|sum|count)$/, '')
  return served.types.has(name) ? name : served.types.get(family) === 'histogram' ? family : null
}
/** Labels, and a metric, that Prometheus adds. */
const given = ['job', 'instance']
const targetState = 'up'

function faultsIn(expr: string): string[] {
  const { metrics: named, groupedBy } = parsePromql(expr)
  if (named.length === 0) return ['asks for nothing']
  const known = named.flatMap(({ name }) => [...labelsOf(name)])
  return [
    ...named.filter(({ name }) => !familyOf(name)).map(({ name }) => `${name} is not served`),
    ...named.flatMap(({ name, labels }) =>
      labels
        .filter((label) => familyOf(name) && !labelsOf(name).has(label) && !given.includes(label))
        .map((label) => `${name} has no label ${label}`),
    ),
    ...groupedBy
      .filter((label) => !known.includes(label) && !given.includes(label))
      .map((label) => `nothing has the label ${label}`),
  ]
}

const labelsOf = (name: string) =>
  new Set(served.samples.filter((one) => one.name === name).flatMap(({ labels }) => Object.keys(labels)))

suite('the dashboard', () => {
  test('is a model that Grafana takes: panels with ids of their own that do not overlap', () => {
    assert.ok(dashboard.schemaVersion >= 39 && dashboard.uid)
    assert.ok(dashboard.templating.list.some(({ name }) => name === 'datasource'))
    const ids = dashboard.panels.map(({ id }) => id)
    assert.equal(new Set(ids).size, ids.length)
    const taken = new Set<string>()
    for (const { title, type, targets, gridPos } of dashboard.panels) {
      assert.ok(gridPos.x + gridPos.w <= 24, title)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          assert.ok(!taken.has(`${x} ${y}`), `${title} lies on another panel`)
          taken.add(`${x} ${y}`)
        }
      if (type !== 'row') assert.ok(targets && targets.length > 0, title)
    }
  })

  test('shows everything that is served, and more than one side of it', () => {
    const used = new Set(
      asked.flatMap(({ expr }) => parsePromql(expr).metrics.map(({ name }) => familyOf(name))),
    )
    const unused = [...served.types.keys()].filter((name) => /^(http|vacancy)_/.test(name) && !used.has(name))
    assert.deepEqual(unused, [])
  })
})

suite('the alerts', () => {
  test('say how bad it is, for how long it may be so, and what to do', () => {
    assert.ok(alerts.length >= 15)
    assert.equal(new Set(alerts.map(({ alert }) => alert)).size, alerts.length)
    for (const rule of alerts) {
      assert.match(rule.alert, /^Vacancy[A-Z]\w+$/)
      assert.match(rule.for, /^\d+[ms]$/, rule.alert)
      assert.match(rule.labels.severity, /^(critical|warning|info)$/, rule.alert)
      assert.match(rule.annotations.summary, /\.$/, rule.alert)
      assert.ok(rule.annotations.description.length > 40, rule.alert)
      assert.match(rule.expr, /(==|>|<|absent\()/, rule.alert)
    }
  })
})

suite('what both ask for', () => {
  test('is served, with the labels that it is asked by', () => {
    const faults = asked.flatMap(({ place, expr }) => faultsIn(expr).map((fault) => `${place}: ${fault}`))
    assert.deepEqual(faults, [])
  })

  test('leaves out other programs, and the requests of proxies and Prometheus', () => {
    const named = asked.flatMap(({ place, expr }) =>
      parsePromql(expr).metrics.map((metric) => ({ place, ...metric })),
    )
    for (const { place, name, labels } of named) {
      assert.ok(name.startsWith('vacancy_') || labels.includes('job'), `${place}: ${name}`)
      assert.ok(!name.startsWith('http_') || labels.includes('route'), `${place}: ${name}`)
    }
  })

  for (const [expr, fault] of [
    ['sum(rate(http_request_total[5m]))', 'http_request_total is not served'],
    ['vacancy_build_info{edition="x"}', 'vacancy_build_info has no label edition'],
    ['sum by (colour) (vacancy_build_info)', 'nothing has the label colour'],
    ['1 > 2', 'asks for nothing'],
  ] as const)
    test(`detects ${fault}`, () => assert.deepEqual(faultsIn(expr), [fault]))

  test('is read by Prometheus itself, where it is installed', async (t) => {
    if (!promtool) return t.diagnostic('promtool is not installed: its own rules were checked without it')
    const rules = await askPromtool(['check', 'rules', join(folder, 'alerts.yaml')])
    assert.equal(rules.code, 0, rules.output)
    const recorded = shown.map(({ expr }, at) => ({
      record: `panel:${at}`,
      expr: expr.replaceAll('$__rate_interval', '5m'),
    }))
    const home = await mkdtemp(join(tmpdir(), 'vacancy-rules-'))
    try {
      // JSON is YAML too.
      await writeFile(join(home, 'x.yaml'), JSON.stringify({ groups: [{ name: 'x', rules: recorded }] }))
      const panels = await askPromtool(['check', 'rules', join(home, 'x.yaml')])
      assert.equal(panels.code, 0, panels.output)
    } finally {
      await rm(home, { recursive: true })
    }
  })
})
