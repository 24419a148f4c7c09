import { basename } from 'node:path'
import type { Rule } from './layers.ts'
import type { Mark } from './source-tree.ts'

const isTest = (path: string) => path.endsWith('.test.ts') || /^(server|console|sandbox)\/test\//.test(path)
const isCode = (path: string) =>
  /\.(ts|tsx|mjs|js|css|sql)$/.test(path) && !path.startsWith('client/src/contract/')

/** Where a package may be imported; other files use our module. Tests may use `pg` directly. */
const soleImporters: readonly (readonly [packages: RegExp, places: RegExp])[] = [
  // A measurement holds ours against the bare client.
  [/^pg$/, /^(server\/src\/db\/|bench\/|chaos\/)/],
  [/^sql-template-tag$/, /^server\/src\/db\//],
  [/^ioredis$/, /^(server\/src\/integrations\/counters|bench)\//],
  [/^nodemailer$/, /^server\/src\/integrations\/mail\//],
  [/^twilio$/, /^server\/src\/integrations\/sms\//],
  [/^(smtp-server|postal-mime)$/, /^sandbox\/src\/mail\//],
  [/^stripe$/, /^server\/src\/integrations\/payments\//],
  [/^(flydrive|@aws-sdk\/.*)$/, /^server\/src\/integrations\/storage\//],
  [/^sharp$/, /^server\/src\/features\/inventory\/media\//],
  [/^jose$/, /^(server\/src\/integrations\/identity|sandbox\/src)\//],
  [/^oidc-provider$/, /^sandbox\/src\//],
  [/^@fastify\/multipart$/, /^server\/src\/features\/inventory\/media\/upload-route\.ts/],
  [
    /^(fastify|@fastify\/(?!multipart).*)$/,
    /^(server\/src\/(app\.ts|http\/|features\/.*\b(routes|status-stream)\.ts)|sandbox\/src\/|bench\/)/,
  ],
  [/^leven$/, /^server\/src\/http\//],
  [/^ajv$/, /^server\/src\/http\//],
  [/^prom-client$/, /^server\/src\/telemetry\/metrics\.ts/],
  [/^pino$/, /^server\/src\/telemetry\/log\.ts/],
  [/^@opentelemetry\/.*$/, /^server\/src\/telemetry\//],
  // A measurement holds the engine against a bare loop of the same client.
  [/^undici$/, /^(server\/src\/egress\/|bench\/)/],
  [/^ipaddr\.js$/, /^server\/src\/egress\//],
  [/^ical\.js$/, /^server\/src\/features\/distribution\/calendar-feeds\//],
  [/^csv-parse$/, /^server\/src\/features\/operations\/file-imports\//],
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

/** The environment is read by entry points only. */
const entrances = /^((server|sandbox)\/bin\/|bench\/|chaos\/|server\/src\/start\/[^/]+-process\.ts)/

export const environmentIsHandedIn: Rule = marked(
  'process.env',
  (path) => isTest(path) || entrances.test(path) || path.endsWith('.mjs'),
  'reads process.env',
)

/** In a feature, SQL stands in its queries or in the use case that is the only one to call it. */
const sqlPlaces =
  /^(server\/src\/(features\/(?!.*\broutes\.ts)|.*queries\.ts|db\/|start\/postgres-cluster\.ts)|bench\/|chaos\/)/

export const sqlHasItsPlace: Rule = marked(
  'SQL',
  (path) => isTest(path) || sqlPlaces.test(path),
  'writes SQL',
)

/** Files with SQL do not import HTTP. */
export const sqlKnowsNoHttp: Rule = (sources) =>
  sources
    .filter(({ path, marks }) => marks.has('SQL') && path.startsWith('server/src/') && !isTest(path))
    .filter(({ imports }) => imports.some((target) => target.startsWith('server/src/http/')))
    .map(({ path }) => `${path} writes SQL and imports HTTP`)

/** Tools want the default export of their configuration, Node that of a reporter; declarations describe packages that have one. */
export const exportsHaveNames: Rule = marked(
  'default export',
  (path) => /(\.config\.(ts|js)|\.d\.ts|-reporter\.ts)$/.test(path),
  'has a default export',
)

/** No file re-exports another one. */
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

export const maxFileLines = 250
/** The limit of a file with one export. */
const maxLinesOfOneExport = 300

/** All statements that write the state of a sync stand in one file, a clause a line. */
const longFiles = new Map([['server/src/features/distribution/sync/state-queries.ts', 850]])

export const filesAreShort: Rule = (sources) =>
  sources
    .filter(({ path }) => isCode(path))
    .map(({ path, text }) => ({ path, text, lines: text.split('\n').length - 1 }))
    .filter(({ path, text, lines }) => lines > maxLinesOf(path, text))
    .map(({ path, lines }) => `${path} has ${lines} lines`)

const maxLinesOf = (path: string, text: string) =>
  longFiles.get(path) ?? (exportCount(text) === 1 ? maxLinesOfOneExport : maxFileLines)

const exportCount = (text: string) => text.match(/^export /gm)?.length ?? 0

const vagueNames = /^(index|utils?|helpers?|common|shared|misc|lib|core|types|constants|base|manager)$/

/** File names that say nothing are refused. */
export const namesSayWhatIsInside: Rule = (sources) =>
  sources
    .filter(({ path }) => isCode(path))
    .filter(({ path }) =>
      path.split('/').some((part) => vagueNames.test(basename(part).replace(/\..*$/, ''))),
    )
    .map(({ path }) => `${path} has a name that says nothing`)

/** What each workspace may import of the others. */
const walls: readonly (readonly [inside: RegExp, others: RegExp])[] = [
  [/^server\/src\/command-line\//, /^(server|client)\//],
  [/^server\/(bin|src)\//, /^server\//],
  [/^server\/test\//, /^(server|sandbox)\//],
  [/^sandbox\//, /^sandbox\//],
  [/^client\//, /^client\//],
  [/^console\/src\//, /^console\/src\//],
  [/^console\//, /^(console|server|sandbox)\//],
  [/^bench\//, /^(bench|server|sandbox)\//],
  [/^chaos\//, /^(chaos|bench|server|sandbox|client)\//],
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
