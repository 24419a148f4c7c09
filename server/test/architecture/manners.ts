import { basename } from 'node:path'
import type { Rule } from './floors.ts'
import type { Mark } from './source-tree.ts'

const isTest = (path: string) => path.endsWith('.test.ts') || /^(server|console|sandbox)\/test\//.test(path)
const isCode = (path: string) =>
  /\.(ts|tsx|mjs|js|css|sql)$/.test(path) && !path.startsWith('client/src/contract/')

/** Where a package may be imported; elsewhere it is reached through ours. Tests have `pg` to look beneath. */
const soleImporters: readonly (readonly [packages: RegExp, places: RegExp])[] = [
  // A measurement holds ours against the bare client.
  [/^pg$/, /^(server\/src\/db\/|bench\/|chaos\/)/],
  [/^kysely$/, /^(server\/src\/(db\/|http\/paging\.ts|.*queries\.ts)|bench\/|chaos\/)/],
  [/^pg-boss$/, /^server\/src\/queue\//],
  [/^ioredis$/, /^server\/src\/outside\/counters\//],
  [/^nodemailer$/, /^server\/src\/outside\/mail\//],
  [/^twilio$/, /^server\/src\/outside\/sms\//],
  [/^(smtp-server|postal-mime)$/, /^sandbox\/src\/mail\//],
  [/^stripe$/, /^server\/src\/outside\/payments\//],
  [/^(flydrive|@aws-sdk\/.*)$/, /^server\/src\/outside\/storage\//],
  [/^sharp$/, /^server\/src\/features\/media\//],
  [/^jose$/, /^(server\/src\/outside\/identity|sandbox\/src)\//],
  [/^oidc-provider$/, /^sandbox\/src\//],
  [/^@fastify\/multipart$/, /^server\/src\/features\/media\/upload-route\.ts/],
  [
    /^(fastify|@fastify\/(?!multipart).*)$/,
    /^server\/src\/(app\.ts|http\/|features\/[^/]+\/(routes|stream)\.ts)/,
  ],
  [/^leven$/, /^server\/src\/http\//],
  [/^ajv$/, /^server\/src\/http\//],
  [/^prom-client$/, /^server\/src\/metrics\.ts/],
  [/^pino$/, /^server\/src\/events\.ts/],
  [/^@opentelemetry\/.*$/, /^server\/src\/telemetry[^/]*\.ts/],
  // A measurement holds the engine against a bare loop of the same client.
  [/^undici$/, /^(server\/src\/egress[^/]*\.ts|bench\/(pushes|bookings)\.ts)/],
  [/^ipaddr\.js$/, /^server\/src\/egress[^/]*\.ts/],
  [/^ical\.js$/, /^server\/src\/features\/calendar-feeds\//],
  [/^commander$/, /^server\/src\/command-line\//],
]

export const packagesHaveOneImporter: Rule = (sources) =>
  sources
    .filter(({ path }) => !isTest(path))
    .flatMap(({ path, packages }) =>
      packages
        .filter((name) => soleImporters.some(([names, places]) => names.test(name) && !places.test(path)))
        .map((name) => `${path} imports ${name}`),
    )

/** The environment is read at an entrance and handed in. */
const entrances = /^((server|sandbox)\/bin\/|bench\/|chaos\/|server\/src\/start\/[^/]+-process\.ts)/

export const environmentIsHandedIn: Rule = marked(
  'process.env',
  (path) => isTest(path) || entrances.test(path) || path.endsWith('.mjs'),
  'reads process.env',
)

/** The last makes the first database, before there is a server to connect to. */
const sqlPlaces =
  /^(server\/src\/((.*\/)?([\w-]+-)?queries\.ts|http\/paging\.ts|db\/|start\/postgres-cluster\.ts)|bench\/|chaos\/)/

export const sqlHasItsPlace: Rule = marked(
  'SQL',
  (path) => isTest(path) || sqlPlaces.test(path),
  'writes SQL',
)

/** Tools want the default export of their own configuration; declarations describe packages that have one. */
export const exportsHaveNames: Rule = marked(
  'default export',
  (path) => /(\.config\.(ts|js)|\.d\.ts)$/.test(path),
  'has a default export',
)

/** A package has one face; inside, everyone imports from where it is. */
export const noBarrels: Rule = marked(
  're-export',
  (path) => path === 'client/src/client.ts' || path.startsWith('client/src/contract/'),
  're-exports',
)

export const everyTestRuns: Rule = marked('test left out', () => false, 'leaves out a test')

function marked(mark: Mark, allowed: (path: string) => boolean, words: string): Rule {
  return (sources) =>
    sources
      .filter(({ path, marks }) => marks.has(mark) && !allowed(path))
      .map(({ path }) => `${path} ${words}`)
}

export const longestFileLines = 250

export const filesAreShort: Rule = (sources) =>
  sources
    .filter(({ path }) => isCode(path))
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
    .filter(({ lines }) => lines > longestFileLines)
    .map(({ path, lines }) => `${path} has ${lines} lines`)

const drawers = /^(index|utils?|helpers?|common|shared|misc|lib|core|types|constants|base|manager)$/

/** A name says what is inside; a drawer holds anything. */
export const namesSayWhatIsInside: Rule = (sources) =>
  sources
    .filter(({ path }) => isCode(path))
    .filter(({ path }) => path.split('/').some((part) => drawers.test(basename(part).replace(/\..*$/, ''))))
    .map(({ path }) => `${path} is the name of a drawer`)

/** What each workspace may import of the others. */
const walls: readonly (readonly [inside: RegExp, others: RegExp])[] = [
  [/^server\/(bin|src)\//, /^server\//],
  [/^server\/test\//, /^(server|sandbox)\//],
  [/^sandbox\//, /^sandbox\//],
  [/^client\//, /^client\//],
  [/^console\/src\//, /^console\/src\//],
  [/^console\//, /^(console|server|sandbox)\//],
  [/^bench\//, /^(bench|server|sandbox)\//],
  [/^chaos\//, /^(chaos|bench|server|sandbox)\//],
]

export const workspacesHaveWalls: Rule = (sources) =>
  sources.flatMap(({ path, imports, packages }) => {
    const [, others] = walls.find(([inside]) => inside.test(path)) ?? []
    if (!others) return []
    const reached = isTest(path) ? /^(server|console|sandbox|client|chaos)\// : others
    const ours = packages
      .filter((name) => name.startsWith('@vacancy/'))
      .filter((name) => !(name === '@vacancy/client' && path.startsWith('console/')))
    return [...imports.filter((target) => isOurs(target) && !reached.test(target)), ...ours].map(
      (target) => `${path} reaches through a wall: ${target}`,
    )
  })

const isOurs = (path: string) => /^(server|console|client|sandbox|bench|chaos)\//.test(path)
