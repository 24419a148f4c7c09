import { posix } from 'node:path'
import type { Rule } from './layers.ts'

/** Refused in any file: todo notes, local paths, version ranges, dead links. */

const isGenerated = (path: string) => /^(openapi\.json|client\/src\/contract\/)/.test(path)
const isGuard = (path: string) => path.startsWith('server/test/architecture')

const note = /\b(TODO|FIXME|XXX|HACK)\b/
export const nothingIsPutOff: Rule = (sources) =>
  sources
    .filter(({ path, text }) => !isGuard(path) && path !== 'package-lock.json' && note.test(text))
    .map(({ path, text }) => `${path} puts off: ${lineWith(note, text)}`)

/** Folders of somebody's machine, and hosts that packages are fetched from. */
const elsewhere = [
  /(^|[\s'"`(=:])\/(work|home|Users|mnt|workspace|opt)\/[\w.-]+/m,
  /\bregistry\.[a-z0-9-]+\.[a-z]+|\b(artifactory|verdaccio|nexus)\b|\bnpmjs\b|\bpackages\.[a-z0-9-]+\.[a-z]{2,}/i,
]

export const nothingNamesAnotherPlace: Rule = (sources) =>
  sources
    // A compose file names folders inside the images of others.
    .filter(({ path }) => !isGuard(path) && !isGenerated(path) && path !== 'deploy/compose.yaml')
    .flatMap(({ path, text }) =>
      elsewhere
        .filter((place) => place.test(text))
        .map((place) => `${path} names a place elsewhere: ${lineWith(place, text)}`),
    )

const lineWith = (pattern: RegExp, text: string) =>
  (text.split('\n').find((line) => pattern.test(line)) ?? '').trim().slice(0, 120)

export const lockNamesNoAddress: Rule = (sources) =>
  sources
    .filter(({ path, text }) => path.endsWith('package-lock.json') && /"resolved":\s*"[a-z+]+:/.test(text))
    .map(({ path }) => `${path} holds addresses to download from`)

interface Manifest {
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

export const versionsStandStill: Rule = (sources) =>
  sources
    .filter(({ path }) => /(^|\/)package\.json$/.test(path))
    .flatMap(({ path, text }) => {
      const { dependencies, devDependencies, optionalDependencies, peerDependencies } = JSON.parse(
        text,
      ) as Manifest
      return Object.entries({
        ...dependencies,
        ...devDependencies,
        ...optionalDependencies,
        ...peerDependencies,
      })
        .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
        .map(([name, version]) => `${path} lets ${name} move: ${version}`)
    })

/** A package is declared by the workspace that imports it, or by the root for tests and tools. */
export const importsAreDeclared: Rule = (sources) => {
  const declared = (folder: string): Set<string> => {
    const manifest = sources.find(({ path }) => path === `${folder}package.json`)
    if (!manifest) return new Set()
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(manifest.text) as Manifest
    return new Set(Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }))
  }
  const atRoot = declared('')
  const workspaces = new Map(
    ['server', 'console', 'client', 'sandbox'].map((name) => [name, declared(`${name}/`)]),
  )
  // Measurements look at the server's own parts.
  workspaces.set('bench', workspaces.get('server')!)
  workspaces.set('chaos', workspaces.get('server')!)
  return sources.flatMap(({ path, packages }) => {
    const own = workspaces.get(path.split('/')[0]!) ?? atRoot
    return packages
      .filter((name) => !own.has(name) && !atRoot.has(name) && !ownName(path, name))
      .map((name) => `${path} imports ${name}, which its workspace does not declare`)
  })
}

const ownName = (path: string, name: string) => name === `@vacancy/${path.split('/')[0]}`

/** Links from one document to another. */
export const linksLeadSomewhere: Rule = (sources) => {
  const paths = new Set(sources.map(({ path }) => path))
  const exists = (path: string) =>
    paths.has(path) || /\.(png|ico)$/.test(path) || [...paths].some((one) => one.startsWith(`${path}/`))
  return sources
    .filter(({ path }) => path.endsWith('.md'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/\]\(([^)#:\s]+)\)/g)]
        .map(([, link = '']) => posix.join(posix.dirname(path), link))
        .filter((target) => !exists(target.replace(/\/$/, '')))
        .map((target) => `${path} links to ${target}, which is not there`),
    )
}
