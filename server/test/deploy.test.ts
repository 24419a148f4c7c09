import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { suite, test } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { listSettings } from '#config/config.ts'

/** What deploy/ says is what Kubernetes accepts and what the product reads. */

interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string }
}

const folder = resolve(import.meta.dirname, '../../deploy')
const text = (name: string) => readFileSync(resolve(folder, name), 'utf8')
const manifests = (name: string) =>
  parseAllDocuments(text(`kubernetes/${name}`)).map((document) => document.toJS() as Manifest)
const kustomization = parse(text('kubernetes/kustomization.yaml')) as { resources: string[] }

/** @throws with what is wrong in the manifest */
async function validate(manifest: Manifest): Promise<void> {
  const kinds = (await import(`kubernetes-models/${manifest.apiVersion}`)) as Record<
    string,
    new (manifest: object) => { validate(): void }
  >
  new kinds[manifest.kind]!(manifest).validate()
}

suite('deploy/', () => {
  test('Kubernetes accepts every manifest', async () => {
    // Those of the Prometheus operator have schemas of their own.
    const own = kustomization.resources.filter((name) => name !== 'monitoring.yaml').flatMap(manifests)
    assert.ok(own.length > 10)
    for (const manifest of own) await validate(manifest)
    const [deployment] = manifests('api.yaml')
    await assert.rejects(validate({ ...deployment!, spec: { replicas: 'two' } } as Manifest), /spec/)
  })

  test('every manifest is listed', () => {
    const files = readdirSync(resolve(folder, 'kubernetes')).filter((name) => name.endsWith('.yaml'))
    assert.deepEqual([...kustomization.resources, 'kustomization.yaml'].sort(), files.sort())
  })

  test('sets only what the product reads', () => {
    const compose = parse(text('compose.yaml'), { merge: true }) as {
      services: Record<string, { image: string; environment?: object }>
    }
    const composed = Object.values(compose.services)
      .filter(({ image }) => image === 'vacancy')
      .flatMap(({ environment = {} }) => Object.keys(environment))
    const kubernetes = ['settings.env', 'secrets.env', 'owner.env'].flatMap((name) =>
      [...text(`kubernetes/${name}`).matchAll(/^(\w+)=/gm)].map(([, setting]) => setting!),
    )
    assert.ok(composed.includes('DATABASE_URL') && kubernetes.includes('DATABASE_URL'))
    const known = new Set(listSettings().map(({ variable }) => variable))
    assert.deepEqual(
      [...composed, ...kubernetes].filter((name) => !known.has(name)),
      [],
    )
  })
})
