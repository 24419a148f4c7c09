import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'

/** The manifests of deploy/kubernetes as kustomize builds them. */

export interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string; labels?: Record<string, string> }
  spec: object
}

interface Kustomization {
  resources: string[]
  patches: { path: string; target: { kind: string; labelSelector?: string } }[]
  configurations: string[]
  generatorOptions: { labels: Record<string, string> }
}

export const folder = resolve(import.meta.dirname, '../../deploy')
export const text = (name: string) => readFileSync(resolve(folder, name), 'utf8')
const documents = (name: string) =>
  parseAllDocuments(text(`kubernetes/${name}`)).map((document) => document.toJS() as Manifest)
export const kustomization = parse(text('kubernetes/kustomization.yaml')) as Kustomization
/** The manifests with the patches that kustomize adds. */
export const manifests = () =>
  kustomization.resources.flatMap(documents).map((manifest) =>
    kustomization.patches
      .filter(({ target }) => target.kind.split('|').includes(manifest.kind))
      .filter(({ target: { labelSelector = '' } }) => {
        const [name, value] = labelSelector.split('=')
        return manifest.metadata.labels?.[name!] === value || labelSelector === ''
      })
      .reduce(
        (merged, { path }) => ({ ...merged, spec: merge(merged.spec, documents(path)[0]!.spec) as object }),
        manifest,
      ),
  )

/** A strategic merge, as far as the patches need one: lists of named parts are merged by name, others replaced. */
function merge(into: unknown, patch: unknown): unknown {
  if (Array.isArray(into) && Array.isArray(patch)) {
    const parts = into as { name?: string }[]
    if (!parts.every(({ name }) => name)) return patch
    const added = (patch as { name?: string }[]).filter(
      ({ name }) => !parts.some((part) => part.name === name),
    )
    return [
      ...parts.map((part) =>
        merge(
          part,
          (patch as { name?: string }[]).find(({ name }) => name === part.name),
        ),
      ),
      ...added,
    ]
  }
  if (typeof into !== 'object' || typeof patch !== 'object') return patch ?? into
  const merged: Record<string, unknown> = { ...into }
  for (const [name, value] of Object.entries(patch as object)) merged[name] = merge(merged[name], value)
  return merged
}

export interface PodOwner {
  template: {
    spec: {
      containers: {
        args: string[]
        envFrom?: object[]
        readinessProbe?: object
        resources: { limits: { memory: string } }
        securityContext?: Record<string, unknown>
      }[]
    }
  }
}
