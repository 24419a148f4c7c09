import { posix } from 'node:path'
import type { Source } from './source-tree.ts'

/** The layers of the server, from the top down. Imports go down or stay; nothing imports upwards. */
const layers: readonly (readonly string[])[] = [
  ['server/bin/'],
  ['server/src/command-line/'],
  ['server/src/start/'],
  ['server/src/app.ts', 'server/src/workers.ts'],
  ['server/src/resources.ts'],
  ['server/src/seed/'],
  ['server/src/features/'],
  ['server/src/http/', 'server/src/queue/', 'server/src/integrations/'],
  ['server/src/db/'],
  ['server/src/'],
]

/** The areas of the features, from the top down. Each may import from those below it. */
const areas = ['operations', 'messaging', 'distribution', 'reservations', 'inventory', 'tenancy']

/** What every feature may call, whatever its area: record an event, raise an alert, ask for a sync, keep its history. */
const sharedModules = [
  'messaging/events',
  'messaging/alerts',
  'distribution/sync/schedule',
  'distribution/audit',
]

const isTest = (path: string) => path.endsWith('.test.ts') || path.startsWith('server/test/')
const layerOf = (path: string) =>
  path.startsWith('server/') ? layers.findIndex((paths) => paths.some((one) => path.startsWith(one))) : -1

/** A module is a folder of the server; each feature, each part of the sync engine and each integration is one of its own. */
const moduleOf = (path: string): string =>
  /^server\/src\/(features\/[^/]+\/(sync\/(schedule|diff|engine|api)|[^/]+)(?=\/)|integrations\/[^/]+|[^/]+(?=\/))/.exec(
    path,
  )?.[1] ?? path

/** One sentence for each fault. */
export type Rule = (sources: readonly Source[]) => string[]

const product = (sources: readonly Source[]) =>
  sources.filter(({ path }) => layerOf(path) >= 0 && !isTest(path))

export const importsGoDown: Rule = (sources) =>
  product(sources).flatMap(({ path, imports }) =>
    imports
      .filter((target) => layerOf(target) >= 0 && layerOf(target) < layerOf(path))
      .map((target) => `${path} imports upwards: ${target}`),
  )

export const areasGoDown: Rule = (sources) =>
  product(sources).flatMap(({ path, imports }) =>
    imports
      .filter((target) => !mayImport(moduleOf(path), moduleOf(target)))
      .map((target) => `${path} imports from an area above its own: ${target}`),
  )

function mayImport(from: string, to: string): boolean {
  const [fromArea, toArea] = [areaOf(from), areaOf(to)]
  if (!fromArea || !toArea || fromArea === toArea || isShared(to)) return true
  return areas.indexOf(toArea) > areas.indexOf(fromArea) && !isShared(from)
}

const areaOf = (name: string) => /^features\/([^/]+)\//.exec(name)?.[1]
const isShared = (name: string) => sharedModules.includes(name.replace(/^features\//, ''))

export const siblingsAreIndependent: Rule = (sources) =>
  product(sources).flatMap(({ path, imports }) =>
    imports
      .filter((target) => areIndependent(moduleOf(path), moduleOf(target)))
      .map((target) => `${path} must not import ${target}`),
  )

function areIndependent(from: string, to: string): boolean {
  if (from === to) return false
  const groupOf = (name: string) => (name.startsWith('integrations/') ? 'integrations' : name)
  if (groupOf(from) === 'integrations') return /^(db|http|queue|integrations\/.*|features\/.*)$/.test(to)
  return ['http', 'queue'].includes(from) && ['http', 'queue', 'integrations'].includes(groupOf(to))
}

/** Routes are private to their feature; an integration is imported through its port only. */
export const entryFilesArePrivate: Rule = (sources) =>
  product(sources).flatMap(({ path, imports }) =>
    imports.flatMap((target) => {
      const isRoutes = /^server\/src\/features\/.*\broutes\.ts$/.test(target)
      if (isRoutes && path !== 'server/src/app.ts' && !isSameFolder(path, target))
        return [`${path} imports routes: ${target}`]
      const [, integration, file] = /^server\/src\/integrations\/([^/]+)\/(.+)\.ts$/.exec(target) ?? []
      const isInside = moduleOf(path) === moduleOf(target)
      if (
        integration &&
        file !== integration &&
        !file!.startsWith(`${integration}-`) &&
        !isInside &&
        path !== 'server/src/resources.ts'
      )
        return [`${path} names an implementation: ${target}`]
      return []
    }),
  )

const isSameFolder = (one: string, other: string) => posix.dirname(one) === posix.dirname(other)

export const noFileCycles: Rule = (sources) =>
  cycles(new Map(sources.map(({ path, imports }) => [path, imports]))).map(
    (cycle) => `Files import each other: ${cycle}`,
  )

export const noModuleCycles: Rule = (sources) => {
  const modules = new Map<string, string[]>()
  for (const { path, imports } of product(sources)) {
    const others = imports.map(moduleOf).filter((one) => one !== moduleOf(path))
    modules.set(moduleOf(path), [...(modules.get(moduleOf(path)) ?? []), ...others])
  }
  return cycles(modules).map((cycle) => `Modules import each other: ${cycle}`)
}

/** One path round each cycle. */
function cycles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const found: string[] = []
  const done = new Set<string>()
  const visit = (node: string, trail: readonly string[]): void => {
    if (trail.includes(node)) found.push([...trail.slice(trail.indexOf(node)), node].join(' → '))
    else if (!done.has(node)) {
      for (const next of graph.get(node) ?? []) visit(next, [...trail, node])
      done.add(node)
    }
  }
  for (const node of graph.keys()) visit(node, [])
  return found
}
