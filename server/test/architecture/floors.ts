import type { Source } from './source-tree.ts'

/** The floors of the server, from the roof to the ground. Imports go down or stay; nothing imports upwards. */
export const floors: readonly (readonly string[])[] = [
  ['server/bin/'],
  ['server/src/command-line/'],
  ['server/src/start/'],
  ['server/src/app.ts', 'server/src/workers.ts', 'server/src/contract.ts'],
  ['server/src/resources.ts', 'server/src/up-to-date.ts'],
  ['server/src/seed/'],
  ['server/src/features/'],
  ['server/src/http/', 'server/src/queue/', 'server/src/outside/'],
  ['server/src/db/'],
  ['server/src/'],
]

const isTest = (path: string) => path.endsWith('.test.ts') || path.startsWith('server/test/')
const floorOf = (path: string) =>
  path.startsWith('server/') ? floors.findIndex((rooms) => rooms.some((room) => path.startsWith(room))) : -1

/** A room is a folder of the house; each feature and each outside system is one of its own. */
export const roomOf = (path: string): string =>
  /^server\/src\/((features|outside)\/[^/]+|[^/]+(?=\/))/.exec(path)?.[1] ?? path

/** One sentence for each fault; none when all is well. */
export type Rule = (sources: readonly Source[]) => string[]

const product = (sources: readonly Source[]) =>
  sources.filter(({ path }) => floorOf(path) >= 0 && !isTest(path))

export const importsGoDown: Rule = (sources) =>
  product(sources).flatMap(({ path, imports }) =>
    imports
      .filter((target) => floorOf(target) >= 0 && floorOf(target) < floorOf(path))
      .map((target) => `${path} imports upwards: ${target}`),
  )

export const neighboursAreStrangers: Rule = (sources) =>
  product(sources).flatMap(({ path, imports }) =>
    imports
      .filter((target) => areStrangers(roomOf(path), roomOf(target)))
      .map((target) => `${path} must not know ${target}`),
  )

function areStrangers(room: string, other: string): boolean {
  if (room === other) return false
  const doors = (one: string) => (one.startsWith('outside/') ? 'outside' : one)
  if (doors(room) === 'outside') return /^(db|http|queue|outside\/.*|features\/.*)$/.test(other)
  return ['http', 'queue'].includes(room) && ['http', 'queue', 'outside'].includes(doors(other))
}

/** What hangs on the two doors is private to its feature; an outside system is known by its port alone. */
export const doorsArePrivate: Rule = (sources) =>
  product(sources).flatMap(({ path, imports }) =>
    imports.flatMap((target) => {
      const [, door] = /^server\/src\/features\/[^/]+\/(routes|jobs)\.ts$/.exec(target) ?? []
      if (door === 'routes' && path !== 'server/src/app.ts') return [`${path} imports routes: ${target}`]
      if (door === 'jobs' && path !== 'server/src/workers.ts') return [`${path} imports handlers: ${target}`]
      const [, system, file] = /^server\/src\/outside\/([^/]+)\/(.+)\.ts$/.exec(target) ?? []
      const isInside = roomOf(path) === roomOf(target)
      if (
        system &&
        file !== system &&
        !file!.startsWith(`${system}-`) &&
        !isInside &&
        path !== 'server/src/resources.ts'
      )
        return [`${path} names an implementation: ${target}`]
      return []
    }),
  )

export const noFileCircles: Rule = (sources) =>
  circles(new Map(sources.map(({ path, imports }) => [path, imports]))).map(
    (circle) => `Files import each other: ${circle}`,
  )

export const noRoomCircles: Rule = (sources) => {
  const rooms = new Map<string, string[]>()
  for (const { path, imports } of product(sources)) {
    const others = imports.map(roomOf).filter((room) => room !== roomOf(path))
    rooms.set(roomOf(path), [...(rooms.get(roomOf(path)) ?? []), ...others])
  }
  return circles(rooms).map((circle) => `Rooms import each other: ${circle}`)
}

/** One path round each circle. */
function circles(graph: ReadonlyMap<string, readonly string[]>): string[] {
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
