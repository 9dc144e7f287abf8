import type { Case, Step } from './run-case.ts';

const core = '/api/v1/namespaces/{ns}';
const apps = '/apis/apps/v1/namespaces/{ns}';
const batch = '/apis/batch/v1/namespaces/{ns}';
const net = '/apis/networking.k8s.io/v1/namespaces/{ns}';

const attempt = (path: string, body: unknown): Step => ({ method: 'POST', path: `${path}?dryRun=All`, body });
const main = { name: 'main', image: 'registry.example/app:1' };
const podSpec = (more: object = {}, container: object = {}) => ({ containers: [{ ...main, ...container }], ...more });
const meta = (more: object = {}) => ({ metadata: { name: 'odd', ...more } });

/** Pod specs, tried in pods. */
const POD_SPECS: readonly object[] = [
  {},
  { containers: [] },
  { containers: [{ name: 'a' }] },
  { containers: [{ ...main, name: 'A_b' }] },
  { containers: [main, main] },
  { containers: [main], initContainers: [main] },
  podSpec({ initContainers: [{ ...main, name: 'i', readinessProbe: { exec: { command: ['x'] } } }] }),
  podSpec({
    initContainers: [{ ...main, name: 'i', restartPolicy: 'Always', readinessProbe: { exec: { command: ['x'] } } }],
  }),
  podSpec({ initContainers: [{ ...main, name: 'i', restartPolicy: 'Never' }] }),
  podSpec({}, { restartPolicy: 'Always' }),
  podSpec({}, { image: ' a ' }),
  podSpec({}, { imagePullPolicy: 'Maybe' }),
  podSpec({}, { terminationMessagePolicy: 'Maybe' }),
  podSpec({}, { terminationMessagePath: '' }),
  podSpec({}, { ports: [{ containerPort: 0 }] }),
  podSpec({}, { ports: [{ containerPort: 70000 }] }),
  podSpec({}, { ports: [{ containerPort: 80, name: 'way-too-long-name' }] }),
  podSpec({}, { ports: [{ containerPort: 80, name: 'UP' }] }),
  podSpec({}, { ports: [{ containerPort: 80, name: '123' }] }),
  podSpec({}, { ports: [{ containerPort: 80, name: 'a--b' }] }),
  podSpec(
    {},
    {
      ports: [
        { containerPort: 80, name: 'a' },
        { containerPort: 81, name: 'a' },
      ],
    },
  ),
  podSpec({}, { ports: [{ containerPort: 80, protocol: 'HTTP' }] }),
  podSpec(
    {},
    {
      ports: [
        { containerPort: 80, hostPort: 80 },
        { containerPort: 81, hostPort: 80 },
      ],
    },
  ),
  podSpec({ hostNetwork: true }, { ports: [{ containerPort: 80, hostPort: 81 }] }),
  podSpec({}, { env: [{ name: '' }] }),
  podSpec({}, { env: [{ name: 'a=b' }] }),
  podSpec({}, { env: [{ name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] }),
  podSpec({}, { env: [{ name: 'A', valueFrom: {} }] }),
  podSpec({}, { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.nope' } } }] }),
  podSpec({}, { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: '' } } }] }),
  podSpec({}, { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: "metadata.labels['a b']" } } }] }),
  podSpec(
    {},
    {
      env: [
        { name: 'A', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' }, secretKeyRef: { name: 'a', key: 'b' } } },
      ],
    },
  ),
  podSpec({}, { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: '', key: '' } } }] }),
  podSpec({}, { env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'a', key: 'b c' } } }] }),
  podSpec({}, { env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.nope' } } }] }),
  podSpec({}, { env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '3' } } }] }),
  podSpec({}, { envFrom: [{}] }),
  podSpec({}, { envFrom: [{ configMapRef: { name: 'A B' } }] }),
  podSpec({}, { envFrom: [{ prefix: 'a=', configMapRef: { name: 'a' }, secretRef: { name: 'b' } }] }),
  podSpec({}, { resources: { requests: { cpu: '-1' } } }),
  podSpec({}, { resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }),
  podSpec({}, { resources: { requests: { nope: '1' } } }),
  podSpec({}, { resources: { limits: { 'example.com/gpu': '1.5' } } }),
  podSpec({}, { resources: { requests: { 'example.com/gpu': '1' } } }),
  podSpec({}, { resources: { requests: { 'example.com/gpu': '1' }, limits: { 'example.com/gpu': '2' } } }),
  podSpec({}, { resources: { limits: { 'hugepages-2Mi': '4Mi' } } }),
  podSpec({}, { resources: { claims: [{ name: 'x' }] } }),
  podSpec({}, { volumeMounts: [{ name: 'v', mountPath: '/x' }] }),
  podSpec({ volumes: [{ name: 'v', emptyDir: {} }] }, { volumeMounts: [{ name: 'v', mountPath: '' }] }),
  podSpec(
    { volumes: [{ name: 'v', emptyDir: {} }] },
    {
      volumeMounts: [
        { name: 'v', mountPath: '/x' },
        { name: 'v', mountPath: '/x' },
      ],
    },
  ),
  podSpec(
    { volumes: [{ name: 'v', emptyDir: {} }] },
    { volumeMounts: [{ name: 'v', mountPath: '/x', subPath: '../y' }] },
  ),
  podSpec(
    { volumes: [{ name: 'v', emptyDir: {} }] },
    { volumeMounts: [{ name: 'v', mountPath: '/x', subPath: '/y' }] },
  ),
  podSpec(
    { volumes: [{ name: 'v', emptyDir: {} }] },
    { volumeMounts: [{ name: 'v', mountPath: '/x', subPath: 'a', subPathExpr: 'b' }] },
  ),
  podSpec(
    { volumes: [{ name: 'v', emptyDir: {} }] },
    { volumeMounts: [{ name: 'v', mountPath: '/x', mountPropagation: 'Nope' }] },
  ),
  podSpec({ volumes: [{ name: 'v', emptyDir: {} }] }, { volumeDevices: [{ name: 'v', devicePath: '/x' }] }),
  podSpec({ volumes: [{ name: 'V_v', emptyDir: {} }] }),
  podSpec({ volumes: [{ name: 'v' }, { name: 'v' }] }),
  podSpec({ volumes: [{ name: 'v', emptyDir: {}, hostPath: { path: '/' } }] }),
  podSpec({ volumes: [{ name: 'v', hostPath: { path: '' } }] }),
  podSpec({ volumes: [{ name: 'v', hostPath: { path: '/a/../b', type: 'Nope' } }] }),
  podSpec({ volumes: [{ name: 'v', secret: {} }] }),
  podSpec({ volumes: [{ name: 'v', secret: { secretName: 's', defaultMode: 1000 } }] }),
  podSpec({
    volumes: [
      {
        name: 'v',
        secret: {
          secretName: 's',
          items: [
            { key: '', path: '' },
            { key: 'a', path: '../b' },
            { key: 'a', path: '/b' },
          ],
        },
      },
    ],
  }),
  podSpec({ volumes: [{ name: 'v', configMap: {} }] }),
  podSpec({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName: '' } }] }),
  podSpec({ volumes: [{ name: 'v', emptyDir: { sizeLimit: '-1' } }] }),
  podSpec({
    volumes: [{ name: 'v', downwardAPI: { items: [{ path: 'a', fieldRef: { fieldPath: 'spec.nodeName' } }] } }],
  }),
  podSpec({ volumes: [{ name: 'v', downwardAPI: { items: [{ path: 'a' }] } }] }),
  podSpec({ volumes: [{ name: 'v', projected: { sources: [{ secret: { name: '' } }, {}] } }] }),
  podSpec({
    volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: '', expirationSeconds: 10 } }] } }],
  }),
  podSpec({ volumes: [{ name: 'v', nfs: { server: '', path: 'x' } }] }),
  podSpec({ volumes: [{ name: 'v', csi: {} }] }),
  podSpec({ volumes: [{ name: 'v', ephemeral: {} }] }),
  podSpec({}, { livenessProbe: {} }),
  podSpec({}, { livenessProbe: { exec: {} } }),
  podSpec({}, { livenessProbe: { httpGet: { path: '', port: 0 } } }),
  podSpec({}, { livenessProbe: { httpGet: { port: 'a b', scheme: 'FTP' } } }),
  podSpec({}, { livenessProbe: { httpGet: { port: 70000, httpHeaders: [{ name: 'a b', value: '' }] } } }),
  podSpec({}, { livenessProbe: { tcpSocket: { port: '' } } }),
  podSpec({}, { livenessProbe: { grpc: { port: 0 } } }),
  podSpec(
    {},
    {
      livenessProbe: {
        exec: { command: ['a'] },
        tcpSocket: { port: 1 },
        successThreshold: 2,
        periodSeconds: -1,
        initialDelaySeconds: -1,
        terminationGracePeriodSeconds: 0,
      },
    },
  ),
  podSpec({}, { readinessProbe: { exec: { command: ['a'] }, terminationGracePeriodSeconds: 5 } }),
  podSpec({}, { lifecycle: { preStop: {} } }),
  podSpec({}, { lifecycle: { postStart: { exec: {} }, preStop: { httpGet: { port: 1 }, tcpSocket: { port: 2 } } } }),
  podSpec({}, { lifecycle: { preStop: { sleep: { seconds: -1 } } } }),
  podSpec({}, { securityContext: { privileged: true, allowPrivilegeEscalation: false } }),
  podSpec({}, { securityContext: { runAsUser: -1, runAsGroup: -1, procMount: 'Nope' } }),
  podSpec({}, { securityContext: { seccompProfile: { type: 'Localhost' } } }),
  podSpec({}, { securityContext: { seccompProfile: { type: 'Nope' } } }),
  podSpec({}, { securityContext: { capabilities: { add: ['SYS_ADMIN'] }, allowPrivilegeEscalation: false } }),
  podSpec({}, { workingDir: 'x', stdin: true, command: ['a'], args: [] }),
  podSpec({ restartPolicy: 'Sometimes' }),
  podSpec({ dnsPolicy: 'Nope' }),
  podSpec({ dnsPolicy: 'None' }),
  podSpec({
    dnsPolicy: 'None',
    dnsConfig: { nameservers: ['x', '1.1.1.1', '1.1.1.2', '1.1.1.3'], searches: ['A_B'], options: [{ name: '' }] },
  }),
  podSpec({ activeDeadlineSeconds: 0 }),
  podSpec({ terminationGracePeriodSeconds: -5 }),
  podSpec({ serviceAccountName: 'A B' }),
  podSpec({ nodeName: 'A B' }),
  podSpec({ nodeSelector: { 'a b': 'c d' } }),
  podSpec({ hostname: 'A.b', subdomain: 'A_b' }),
  podSpec({ imagePullSecrets: [{ name: '' }] }),
  podSpec({ hostAliases: [{ ip: 'x', hostnames: ['A_b'] }] }),
  podSpec({ priorityClassName: 'nope' }),
  podSpec({ priorityClassName: 'A B' }),
  podSpec({ priority: 5 }),
  podSpec({ preemptionPolicy: 'Nope' }),
  podSpec({ runtimeClassName: 'nope' }),
  podSpec({ schedulerName: '' }),
  podSpec({ tolerations: [{ key: 'a b' }] }),
  podSpec({ tolerations: [{ operator: 'Equal', value: 'x' }] }),
  podSpec({ tolerations: [{ key: 'a', operator: 'Exists', value: 'x' }] }),
  podSpec({ tolerations: [{ key: 'a', operator: 'Nope', effect: 'Nope' }] }),
  podSpec({ tolerations: [{ key: 'a', effect: 'NoSchedule', tolerationSeconds: 5, value: 'a b' }] }),
  podSpec({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } },
  }),
  podSpec({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'a b', operator: 'In' }] }],
        },
      },
    },
  }),
  podSpec({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            {
              matchExpressions: [
                { key: 'a', operator: 'Gt', values: ['x', 'y'] },
                { key: 'b', operator: 'Nope' },
              ],
            },
          ],
        },
      },
    },
  }),
  podSpec({
    affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 101, preference: {} }] } },
  }),
  podSpec({ affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: '' }] } } }),
  podSpec({
    affinity: {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 0, podAffinityTerm: { topologyKey: 'a b', namespaces: ['A'] } },
        ],
      },
    },
  }),
  podSpec({ topologySpreadConstraints: [{ maxSkew: 0, topologyKey: '', whenUnsatisfiable: 'Nope' }] }),
  podSpec({
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: 'a', whenUnsatisfiable: 'ScheduleAnyway', minDomains: 2, labelSelector: {} },
    ],
  }),
  podSpec({ securityContext: { runAsUser: -1, fsGroup: -1, supplementalGroups: [-1], fsGroupChangePolicy: 'Nope' } }),
  podSpec({
    securityContext: {
      sysctls: [
        { name: 'A B', value: '1' },
        { name: 'a.b', value: '1' },
        { name: 'a.b', value: '2' },
      ],
    },
  }),
  podSpec({ shareProcessNamespace: true, hostPID: true }),
  podSpec({ os: { name: 'beos' } }),
  podSpec({ schedulingGates: [{ name: 'a b' }, { name: 'x.y/z' }, { name: 'x.y/z' }] }),
  podSpec({ schedulingGates: [{ name: 'x.y/z' }], nodeName: 'n' }),
  podSpec({ readinessGates: [{ conditionType: 'a b' }] }),
  podSpec({ overhead: { cpu: '1' } }),
  podSpec({ ephemeralContainers: [{ ...main, name: 'e' }] }),
];

const template = (spec: object = {}, labels: object = { app: 'web' }) => ({
  metadata: { labels },
  spec: podSpec(spec),
});
const workload = (more: object = {}) => ({
  ...meta(),
  spec: { selector: { matchLabels: { app: 'web' } }, template: template(), ...more },
});

const WORKLOADS: readonly Step[] = [
  attempt(`${apps}/deployments`, meta()),
  attempt(`${apps}/deployments`, workload({ selector: undefined })),
  attempt(`${apps}/deployments`, workload({ selector: {} })),
  attempt(`${apps}/deployments`, workload({ selector: { matchLabels: { app: 'other' } } })),
  attempt(`${apps}/deployments`, workload({ selector: { matchExpressions: [{ key: 'a', operator: 'In' }] } })),
  attempt(`${apps}/deployments`, workload({ selector: { matchExpressions: [{ key: 'a b', operator: 'Nope' }] } })),
  attempt(`${apps}/deployments`, workload({ selector: { matchLabels: { 'a b': 'c d' } } })),
  attempt(
    `${apps}/deployments`,
    workload({ replicas: -1, minReadySeconds: -1, revisionHistoryLimit: -1, progressDeadlineSeconds: -1 }),
  ),
  attempt(`${apps}/deployments`, workload({ minReadySeconds: 700 })),
  attempt(`${apps}/deployments`, workload({ strategy: { type: 'Nope' } })),
  attempt(`${apps}/deployments`, workload({ strategy: { type: 'Recreate', rollingUpdate: {} } })),
  attempt(`${apps}/deployments`, workload({ strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } })),
  attempt(`${apps}/deployments`, workload({ strategy: { rollingUpdate: { maxSurge: 'x', maxUnavailable: '200%' } } })),
  attempt(`${apps}/deployments`, workload({ strategy: { rollingUpdate: { maxSurge: -1, maxUnavailable: '-5%' } } })),
  attempt(`${apps}/deployments`, workload({ template: template({ restartPolicy: 'Never' }) })),
  attempt(`${apps}/deployments`, workload({ template: template({ activeDeadlineSeconds: 5 }) })),
  attempt(`${apps}/deployments`, workload({ template: template({}, { app: 'web', 'a b': 'c d' }) })),
  attempt(`${apps}/replicasets`, workload({ template: template({ restartPolicy: 'OnFailure' }) })),
  attempt(`${apps}/replicasets`, workload({ selector: {} })),
  attempt(`${apps}/replicasets`, workload({ replicas: -2 })),
  attempt(`${apps}/daemonsets`, workload({ updateStrategy: { type: 'Nope' } })),
  attempt(`${apps}/daemonsets`, workload({ updateStrategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } })),
  attempt(`${apps}/daemonsets`, workload({ updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } })),
  attempt(`${apps}/daemonsets`, workload({ updateStrategy: { rollingUpdate: { maxUnavailable: 'x' } } })),
  attempt(`${apps}/daemonsets`, workload({ selector: {} })),
  attempt(`${apps}/daemonsets`, workload({ minReadySeconds: -1, revisionHistoryLimit: -1 })),
  attempt(`${apps}/daemonsets`, workload({ template: template({ activeDeadlineSeconds: 5 }) })),
  attempt(`${apps}/statefulsets`, workload({ podManagementPolicy: 'Nope', serviceName: 'A B' })),
  attempt(`${apps}/statefulsets`, workload({ updateStrategy: { type: 'Nope' } })),
  attempt(`${apps}/statefulsets`, workload({ updateStrategy: { type: 'OnDelete', rollingUpdate: {} } })),
  attempt(`${apps}/statefulsets`, workload({ updateStrategy: { rollingUpdate: { partition: -1 } } })),
  attempt(`${apps}/statefulsets`, workload({ replicas: -1, minReadySeconds: -1, ordinals: { start: -1 } })),
  attempt(`${apps}/statefulsets`, workload({ persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Nope' } })),
  attempt(`${apps}/statefulsets`, { ...workload(), metadata: { name: 'a.b' } }),
  attempt(`${apps}/statefulsets`, workload({ template: template({ restartPolicy: 'Never' }) })),
  attempt(`${apps}/statefulsets`, workload({ selector: {} })),
  attempt(`${apps}/statefulsets`, workload({ volumeClaimTemplates: [{ metadata: { name: 'd' }, spec: {} }] })),
  attempt(`${core}/replicationcontrollers`, meta()),
  attempt(`${core}/replicationcontrollers`, {
    ...meta(),
    spec: { replicas: -1, selector: { a: 'b' }, template: template() },
  }),
  attempt(`${core}/replicationcontrollers`, { ...meta(), spec: { template: template({ restartPolicy: 'Never' }) } }),
];

const job = (more: object = {}, spec: object = { restartPolicy: 'Never' }) => ({
  ...meta(),
  spec: { template: { spec: podSpec(spec) }, ...more },
});
const cron = (more: object = {}, inner: object = { template: { spec: podSpec({ restartPolicy: 'Never' }) } }) => ({
  ...meta(),
  spec: { schedule: '* * * * *', jobTemplate: { spec: inner }, ...more },
});

const JOBS: readonly Step[] = [
  job({}, {}),
  job({}, { restartPolicy: 'Always' }),
  job({ parallelism: -1, completions: -1, backoffLimit: -1, activeDeadlineSeconds: -1, ttlSecondsAfterFinished: -1 }),
  job({ completionMode: 'Nope' }),
  job({ completionMode: 'Indexed' }),
  job({ completionMode: 'Indexed', completions: 3, backoffLimitPerIndex: -1, maxFailedIndexes: 5 }),
  job({ backoffLimitPerIndex: 1 }),
  job({ selector: { matchLabels: { a: 'b' } } }),
  job({ manualSelector: true }),
  job({ manualSelector: true, selector: { matchLabels: { a: 'b' } } }),
  job({ podReplacementPolicy: 'Nope' }),
  job({ podFailurePolicy: { rules: [{ action: 'Nope', onExitCodes: { operator: 'In', values: [] } }] } }),
  job({ podFailurePolicy: { rules: [{ action: 'FailJob' }] } }),
  job({
    podFailurePolicy: {
      rules: [
        {
          action: 'FailJob',
          onExitCodes: { operator: 'In', values: [0, 1, 1] },
          onPodConditions: [{ type: 'a b', status: 'Maybe' }],
        },
      ],
    },
  }),
  job(
    { podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [1] } }] } },
    { restartPolicy: 'OnFailure' },
  ),
  job({
    podFailurePolicy: {
      rules: [{ action: 'FailIndex', onExitCodes: { operator: 'In', values: [1], containerName: 'nope' } }],
    },
  }),
  job({ successPolicy: { rules: [] } }),
  job({ managedBy: 'x' }),
  job({ suspend: true }),
]
  .map((body) => attempt(`${batch}/jobs`, body))
  .concat(
    [
      cron(),
      cron({ schedule: '' }),
      cron({ schedule: 'nope' }),
      cron({ schedule: '61 * * * *' }),
      cron({ schedule: 'TZ=UTC * * * * *' }),
      cron({ schedule: '@every 1h' }),
      cron({ schedule: '@hourly' }),
      cron({ timeZone: 'Mars/Base' }),
      cron({ timeZone: '' }),
      cron({ timeZone: 'Europe/Berlin' }),
      cron({ timeZone: 'local' }),
      cron({ concurrencyPolicy: 'Nope' }),
      cron({ startingDeadlineSeconds: -1, successfulJobsHistoryLimit: -1, failedJobsHistoryLimit: -1 }),
      cron({}, { template: { spec: podSpec() } }),
      cron(
        {},
        {
          manualSelector: true,
          selector: { matchLabels: { a: 'b' } },
          template: { spec: podSpec({ restartPolicy: 'Never' }) },
        },
      ),
      { ...cron(), metadata: { name: 'a'.repeat(53) } },
    ].map((body) => attempt(`${batch}/cronjobs`, body)),
  );

const service = (spec: object) => attempt(`${core}/services`, { ...meta(), spec });
const SERVICES: readonly Step[] = [
  attempt(`${core}/services`, meta()),
  service({}),
  service({ ports: [] }),
  service({ ports: [{ port: 0 }] }),
  service({ ports: [{ port: 70000, targetPort: 'A_B' }] }),
  service({ ports: [{ port: 80 }, { port: 81 }] }),
  service({
    ports: [
      { port: 80, name: 'a' },
      { port: 80, name: 'b' },
    ],
  }),
  service({
    ports: [
      { port: 80, name: 'a' },
      { port: 81, name: 'a' },
    ],
  }),
  service({ ports: [{ port: 80, name: 'A_B', protocol: 'HTTP', appProtocol: 'a b' }] }),
  service({ ports: [{ port: 80, nodePort: 30001 }] }),
  service({ type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] }),
  service({
    type: 'NodePort',
    ports: [
      { port: 80, name: 'a', nodePort: 31999 },
      { port: 81, name: 'b', nodePort: 31999 },
    ],
  }),
  service({ type: 'Nope', ports: [{ port: 80 }] }),
  service({ type: 'ExternalName' }),
  service({ type: 'ExternalName', externalName: 'A_B' }),
  service({ type: 'ExternalName', externalName: 'a.example', clusterIP: '10.96.0.9' }),
  service({ clusterIP: 'None' }),
  service({ clusterIP: 'None', type: 'NodePort', ports: [{ port: 80 }] }),
  service({ clusterIP: 'x', ports: [{ port: 80 }] }),
  service({ clusterIP: '1.2.3.4', ports: [{ port: 80 }] }),
  service({ clusterIPs: ['10.96.0.9'], ports: [{ port: 80 }] }),
  service({ selector: { 'a b': 'c d' }, ports: [{ port: 80 }] }),
  service({ sessionAffinity: 'Nope', ports: [{ port: 80 }] }),
  service({
    sessionAffinity: 'ClientIP',
    sessionAffinityConfig: { clientIP: { timeoutSeconds: 0 } },
    ports: [{ port: 80 }],
  }),
  service({ sessionAffinityConfig: { clientIP: { timeoutSeconds: 5 } }, ports: [{ port: 80 }] }),
  service({ externalIPs: ['x', '127.0.0.1'], ports: [{ port: 80 }] }),
  service({ externalTrafficPolicy: 'Local', ports: [{ port: 80 }] }),
  service({ type: 'NodePort', externalTrafficPolicy: 'Nope', ports: [{ port: 80 }] }),
  service({ internalTrafficPolicy: 'Nope', ports: [{ port: 80 }] }),
  service({ type: 'LoadBalancer', loadBalancerSourceRanges: ['x'], ports: [{ port: 80 }] }),
  service({ loadBalancerSourceRanges: ['10.0.0.0/8'], ports: [{ port: 80 }] }),
  service({ healthCheckNodePort: 30000, ports: [{ port: 80 }] }),
  service({ loadBalancerClass: 'x', ports: [{ port: 80 }] }),
  service({ ipFamilies: ['IPv6'], ports: [{ port: 80 }] }),
  service({ ipFamilyPolicy: 'RequireDualStack', ports: [{ port: 80 }] }),
  service({ ipFamilies: ['IPv4', 'IPv4'], ports: [{ port: 80 }] }),
  service({ allocateLoadBalancerNodePorts: false, ports: [{ port: 80 }] }),
  service({ trafficDistribution: 'Nope', ports: [{ port: 80 }] }),
  attempt(`${core}/services`, { metadata: { name: '1odd' }, spec: { ports: [{ port: 80 }] } }),
];

const ingress = (spec: object) => attempt(`${net}/ingresses`, { ...meta(), spec });
const backend = { service: { name: 'a', port: { number: 80 } } };
const path = (more: object) => ({
  rules: [{ http: { paths: [{ path: '/', pathType: 'Prefix', backend, ...more }] } }],
});
const policy = (spec: object) => attempt(`${net}/networkpolicies`, { ...meta(), spec });

const NETWORK: readonly Step[] = [
  ingress({}),
  ingress(path({ pathType: undefined })),
  ingress(path({ pathType: 'Nope' })),
  ingress(path({ path: 'x' })),
  ingress(path({ path: '/a//b' })),
  ingress(path({ path: '/a/../b' })),
  ingress(path({ path: '', pathType: 'ImplementationSpecific' })),
  ingress(path({ backend: {} })),
  ingress(path({ backend: { service: { name: 'A_B', port: {} } } })),
  ingress(path({ backend: { service: { name: 'a', port: { name: 'x', number: 1 } } } })),
  ingress(path({ backend: { service: { name: 'a', port: { number: 70000 } } } })),
  ingress(path({ backend: { ...backend, resource: { kind: 'A', name: 'b' } } })),
  ingress({ rules: [{ host: 'A_B' }] }),
  ingress({ rules: [{ host: '1.2.3.4' }] }),
  ingress({ rules: [{ host: '*.A' }] }),
  ingress({ rules: [{ host: '*' }] }),
  ingress({ rules: [{ http: {} }] }),
  ingress({ defaultBackend: backend, tls: [{ hosts: ['A_B'], secretName: 'A B' }] }),
  ingress({ defaultBackend: backend, ingressClassName: 'A B' }),
  policy({}),
  policy({ podSelector: { matchLabels: { 'a b': 'c' } } }),
  policy({ podSelector: {}, policyTypes: ['Nope'] }),
  policy({ podSelector: {}, policyTypes: ['Ingress', 'Egress', 'Ingress'] }),
  policy({ podSelector: {}, ingress: [{ ports: [{ port: 70000, protocol: 'HTTP' }] }] }),
  policy({ podSelector: {}, ingress: [{ ports: [{ port: 'A_B' }, { endPort: 5 }, { port: 10, endPort: 5 }] }] }),
  policy({ podSelector: {}, ingress: [{ from: [{}] }] }),
  policy({
    podSelector: {},
    ingress: [{ from: [{ ipBlock: { cidr: 'x' } }, { ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/8'] } }] }],
  }),
  policy({ podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.0/8' }, podSelector: {} }] }] }),
];

const claim = (spec: object) => attempt(`${core}/persistentvolumeclaims`, { ...meta(), spec });
const resources = { requests: { storage: '1Gi' } };
const volume = (spec: object) => attempt('/api/v1/persistentvolumes', { ...meta(), spec });
const hpa = (spec: object) =>
  attempt('/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers', { ...meta(), spec });
const target = { kind: 'Deployment', name: 'x', apiVersion: 'apps/v1' };
const pdb = (spec: object) => attempt('/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets', { ...meta(), spec });

const OTHERS: readonly Step[] = [
  claim({}),
  claim({ accessModes: ['Nope'], resources }),
  claim({ accessModes: ['ReadWriteOnce', 'ReadWriteOncePod'], resources }),
  claim({ accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '0' } } }),
  claim({ accessModes: ['ReadWriteOnce'], resources, storageClassName: 'A B' }),
  claim({ accessModes: ['ReadWriteOnce'], resources, volumeMode: 'Nope' }),
  claim({
    accessModes: ['ReadWriteOnce'],
    resources,
    selector: { matchExpressions: [{ key: 'a', operator: 'Nope' }] },
  }),
  volume({}),
  volume({ capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] }),
  volume({
    capacity: { storage: '0', cpu: '1' },
    accessModes: ['Nope'],
    hostPath: { path: '/x' },
    nfs: { server: 's', path: '/' },
  }),
  volume({
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    hostPath: { path: '/a/..' },
    persistentVolumeReclaimPolicy: 'Nope',
  }),
  volume({
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    hostPath: { path: '/' },
    persistentVolumeReclaimPolicy: 'Recycle',
  }),
  attempt('/apis/storage.k8s.io/v1/storageclasses', meta()),
  attempt('/apis/storage.k8s.io/v1/storageclasses', {
    ...meta(),
    provisioner: 'A B',
    reclaimPolicy: 'Nope',
    volumeBindingMode: 'Nope',
  }),
  attempt('/apis/storage.k8s.io/v1/storageclasses', { ...meta(), provisioner: 'x.y/z', parameters: { '': 'a' } }),
  hpa({}),
  hpa({ scaleTargetRef: target, maxReplicas: 0 }),
  hpa({ scaleTargetRef: target, maxReplicas: 1, minReplicas: 2 }),
  hpa({ scaleTargetRef: target, maxReplicas: 1, minReplicas: 0 }),
  hpa({ scaleTargetRef: target, maxReplicas: 1, metrics: [{ type: 'Resource' }] }),
  hpa({ scaleTargetRef: target, maxReplicas: 1, metrics: [{ type: 'Nope' }] }),
  hpa({
    scaleTargetRef: target,
    maxReplicas: 1,
    metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 0 } } }],
  }),
  hpa({
    scaleTargetRef: target,
    maxReplicas: 1,
    behavior: {
      scaleDown: {
        stabilizationWindowSeconds: 5000,
        selectPolicy: 'Nope',
        policies: [{ type: 'Nope', value: 0, periodSeconds: 0 }],
      },
    },
  }),
  pdb({}),
  pdb({ minAvailable: 1, maxUnavailable: 1 }),
  pdb({ minAvailable: -1 }),
  pdb({ maxUnavailable: '200%' }),
  pdb({ maxUnavailable: 'x', selector: { matchLabels: { 'a b': 'c' } } }),
  pdb({ unhealthyPodEvictionPolicy: 'Nope' }),
  attempt(`${core}/secrets`, { ...meta(), type: 'kubernetes.io/tls' }),
  attempt(`${core}/secrets`, { ...meta(), type: 'kubernetes.io/dockercfg', data: {} }),
  attempt(`${core}/secrets`, { ...meta(), type: 'kubernetes.io/basic-auth', data: {} }),
  attempt(`${core}/secrets`, { ...meta(), type: 'kubernetes.io/ssh-auth', data: {} }),
  attempt(`${core}/secrets`, { ...meta(), type: 'kubernetes.io/service-account-token' }),
  attempt(`${core}/secrets`, { ...meta(), data: { a: 'not base64!' } }),
  attempt(`${core}/configmaps`, { ...meta(), data: { a: 'x' }, binaryData: { a: 'eA==' } }),
  attempt(`${core}/configmaps`, { ...meta(), data: { [`${'k'.repeat(254)}`]: '' } }),
  attempt(`${core}/configmaps`, { ...meta(), data: { '..': 'x' } }),
  attempt(`${core}/configmaps`, { ...meta(), data: { '..a': 'x' } }),
  attempt(`${core}/serviceaccounts`, { metadata: { name: 'A B' } }),
  attempt('/api/v1/namespaces', { metadata: { name: 'A.b' } }),
  attempt('/api/v1/namespaces', { metadata: { name: 'odd' }, spec: { finalizers: ['x'] } }),
  attempt('/api/v1/nodes', {
    ...meta(),
    spec: {
      podCIDR: 'x',
      taints: [
        { key: 'a b', effect: 'Nope' },
        { key: 'c', effect: 'NoSchedule' },
        { key: 'c', effect: 'NoSchedule' },
      ],
    },
  }),
  attempt(`${core}/endpoints`, { ...meta(), subsets: [{ addresses: [{ ip: 'x' }], ports: [{ port: 0 }] }, {}] }),
  attempt(`${core}/endpoints`, {
    ...meta(),
    subsets: [{ addresses: [{ ip: '127.0.0.1' }, { ip: '169.254.0.1' }], ports: [{ port: 1 }, { port: 2 }] }],
  }),
  attempt('/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices', meta()),
  attempt('/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices', {
    ...meta(),
    addressType: 'Nope',
    endpoints: [],
  }),
  attempt('/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices', {
    ...meta(),
    addressType: 'IPv4',
    endpoints: [{ addresses: ['x', '::1'] }, { addresses: [] }],
    ports: [{ name: 'A_B', port: 0, protocol: 'X' }, { name: 'A_B' }],
  }),
  attempt('/apis/scheduling.k8s.io/v1/priorityclasses', { ...meta(), value: 2000000000 }),
  attempt('/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: 'system-odd' }, value: 1 }),
  attempt('/apis/scheduling.k8s.io/v1/priorityclasses', { ...meta(), value: 1, preemptionPolicy: 'Nope' }),
  attempt('/apis/coordination.k8s.io/v1/namespaces/{ns}/leases', {
    ...meta(),
    spec: { leaseDurationSeconds: 0, leaseTransitions: -1 },
  }),
  attempt('/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles', {
    ...meta(),
    rules: [
      { verbs: [] },
      { verbs: ['get'], nonResourceURLs: ['/x'] },
      { verbs: ['get'], resources: ['pods'] },
      { verbs: ['get'], apiGroups: [''] },
    ],
  }),
  attempt('/apis/rbac.authorization.k8s.io/v1/clusterroles', {
    ...meta(),
    rules: [{ verbs: ['get'], nonResourceURLs: ['/x'], resources: ['y'], apiGroups: ['z'] }],
    aggregationRule: { clusterRoleSelectors: [] },
  }),
  attempt('/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/rolebindings', {
    ...meta(),
    roleRef: { kind: 'Nope', name: '', apiGroup: 'x' },
    subjects: [
      { kind: 'Nope', name: '' },
      { kind: 'User', name: 'u', apiGroup: 'y' },
      { kind: 'ServiceAccount', name: 'A_B' },
    ],
  }),
  attempt('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    ...meta(),
    roleRef: { kind: 'Role', name: 'x' },
    subjects: [
      { kind: 'ServiceAccount', name: 'a' },
      { kind: 'Group', name: 'g', namespace: 'n' },
    ],
  }),
  attempt('/apis/node.k8s.io/v1/runtimeclasses', { ...meta(), handler: 'A_B' }),
  attempt(`${net.replace('/namespaces/{ns}', '')}/ingressclasses`, {
    ...meta(),
    spec: { controller: 'x y', parameters: { kind: '', name: '' } },
  }),
  attempt(`${core}/podtemplates`, { ...meta(), template: { spec: podSpec({ restartPolicy: 'Nope' }) } }),
  attempt(`${apps}/controllerrevisions`, { ...meta(), revision: -1 }),
  attempt(`${core}/configmaps`, {
    metadata: {
      name: 'odd',
      labels: { [`${'p'.repeat(254)}/n`]: 'y' },
      annotations: { 'A b': 'x' },
    },
  }),
  attempt(`${core}/configmaps`, { metadata: { name: 'odd', labels: { 'a/b/c': 'x' } } }),
  attempt(`${core}/configmaps`, { metadata: { name: 'odd', labels: { n: 'v'.repeat(64) } } }),
  attempt(`${core}/configmaps`, { metadata: { name: 'odd', finalizers: ['nope', 'a.b/c', ''] } }),
  attempt(`${core}/configmaps`, {
    metadata: {
      name: 'odd',
      ownerReferences: [
        { apiVersion: 'v1', kind: 'Pod', name: 'a', uid: 'u', controller: true },
        { apiVersion: 'v1', kind: 'Pod', name: 'b', uid: 'w', controller: true },
        { apiVersion: 'v1', kind: 'Event', name: 'c', uid: 'z' },
      ],
    },
  }),
  attempt(`${core}/configmaps`, {
    metadata: {
      name: 'odd',
      ownerReferences: [
        { apiVersion: 'v1', kind: 'Pod', name: 'a', uid: 'u' },
        { apiVersion: 'v1', kind: 'Pod', name: 'a', uid: 'u' },
      ],
    },
  }),
  attempt(`${core}/configmaps`, { metadata: { name: `${'n'.repeat(254)}` } }),
];

export const validationCases: readonly Case[] = [
  { name: 'validation-pods', steps: POD_SPECS.map((spec) => attempt(`${core}/pods`, { ...meta(), spec })) },
  { name: 'validation-workloads', steps: WORKLOADS },
  { name: 'validation-jobs', steps: JOBS },
  { name: 'validation-services', steps: SERVICES },
  { name: 'validation-network', steps: NETWORK },
  { name: 'validation-others', steps: OTHERS },
];
