import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import {
  auditFile,
  auditLines,
  countCalls,
  fixText,
  parseRelease,
  patchOf,
  upgradeReport,
  useDiagnosis,
  usesInGit,
  usesInText,
  verdictOf,
  warningOf,
  withChanges,
  worktreeOf,
} from './index.ts';
import { apiLives, newestKnown } from './knowledge/api-life.ts';

const autoscaler = { group: 'autoscaling', version: 'v2beta2', kind: 'HorizontalPodAutoscaler' };

test('a version is deprecated, then removed, and its replacement lives on', () => {
  assert.equal(verdictOf(autoscaler, [1, 22]), undefined);
  assert.equal(verdictOf(autoscaler, [1, 25])?.state, 'deprecated');
  assert.equal(verdictOf(autoscaler, [1, 26])?.state, 'removed');
  assert.equal(verdictOf({ ...autoscaler, version: 'v2' }, [1, 99]), undefined);
  assert.ok(apiLives().size > 90);
});

test('releases are read as people write them', () => {
  assert.deepEqual(['1.35', 'v1.35', 'v1.35.2-eks-1'].map(parseRelease), [
    [1, 35],
    [1, 35],
    [1, 35],
  ]);
  for (const wrong of ['', '35', 'latest', '1.']) assert.throws(() => parseRelease(wrong), /no release of Kubernetes/);
});

test('a report on a release that nothing is known of says so', () => {
  assert.deepEqual(upgradeReport({ target: newestKnown, uses: [] }).unseen, []);
  const { unseen } = upgradeReport({ target: [1, 99], uses: [], unseen: ['metrics: refused'] });
  assert.match(unseen[0] ?? '', /^what releases after 1\.\d+ remove or deprecate, up to 1\.99: /);
  assert.deepEqual(upgradeReport({ target: [1, 99], uses: [], unseen }).unseen, unseen);
});

test('manifests, templates, lists and references are read by lines', () => {
  const text = `{{- if .Values.x }}
apiVersion: policy/v1beta1 # old
kind: PodDisruptionBudget
metadata:
  name: {{ .Release.Name }}
---
kind: List
apiVersion: v1
items:
- apiVersion: batch/v1beta1
  kind: CronJob
  metadata: {name: c}
- {apiVersion: apps/v1, kind: Deployment}
- {apiVersion: extensions/v1beta1, kind: Ingress}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
spec:
  scaleTargetRef:
    apiVersion: apps/v1beta2
    kind: Deployment
`;
  assert.deepEqual(
    usesInText(text, [1, 35]).map(({ verdict, line }) => [line, verdict.life.kind, verdict.life.version]),
    [
      [2, 'PodDisruptionBudget', 'v1beta1'],
      [10, 'CronJob', 'v1beta1'],
      [14, 'Ingress', 'v1beta1'],
      [20, 'Deployment', 'v1beta2'],
    ],
  );
  assert.deepEqual(usesInText(text, [1, 7]), []);
});

test('lines of hostile length and depth cost little', () => {
  assert.deepEqual(usesInText(`apiVersion: ${'a'.repeat(1e6)}\nkind: X\n`, [1, 35]), []);
  assert.equal(usesInText('- apiVersion: batch/v1beta1\n  kind: CronJob\n'.repeat(2000), [1, 35]).length, 2000);
});

test('a use in Git is told with line, commit and author', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-upgrade-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', ...args], { cwd: folder });
  git('init', '-q');
  writeFileSync(
    join(folder, 'a.yaml'),
    '# first\napiVersion: batch/v1beta1\nkind: CronJob\nmetadata:\n  name: nightly\n',
  );
  git('add', '.');
  git('commit', '-qm', 'one');
  writeFileSync(join(folder, 'b.yaml'), 'apiVersion: batch/v1beta1\nkind: CronJob\n');
  git('add', '.');
  const [first, second] = await usesInGit(folder, [1, 25]);
  assert.deepEqual(
    [first?.file, first?.line, first?.object, first?.commit?.author],
    ['a.yaml', 2, 'CronJob nightly', 'Ann'],
  );
  assert.deepEqual([second?.file, second?.line, second?.commit], ['b.yaml', 1, undefined]);
  await assert.rejects(usesInGit(tmpdir(), [1, 25]), /in no Git repository/);
  await assert.rejects(worktreeOf(join(tmpdir(), 'none')), /in no Git repository/);
  await assert.rejects(worktreeOf(tmpdir(), AbortSignal.abort(new Error('stopped'))), { code: 'ABORT_ERR' });
});

const event = {
  kind: 'Event',
  apiVersion: 'audit.k8s.io/v1',
  stage: 'ResponseComplete',
  verb: 'list',
  user: {
    username: 'system:serviceaccount:ops:scaler',
    extra: { 'authentication.kubernetes.io/pod-name': ['scaler-1'] },
  },
  userAgent: 'scaler/v0.1',
  objectRef: { resource: 'horizontalpodautoscalers', apiGroup: 'autoscaling', apiVersion: 'v2beta2' },
  requestReceivedTimestamp: '2026-01-01T00:00:00.000000Z',
};

test('audit logs are read as the API server and the clouds write them', () => {
  const lines = [
    JSON.stringify(event),
    JSON.stringify({ ...event, stage: 'RequestReceived' }),
    JSON.stringify({ '@message': event }),
    JSON.stringify({ properties: { log: JSON.stringify(event) } }),
    JSON.stringify({
      kind: 'EventList',
      items: [event, { ...event, objectRef: { resource: 'pods', apiVersion: 'v1' } }],
    }),
    JSON.stringify({ ...event, user: { username: 'system:apiserver' }, userAgent: 'kube-apiserver/v1.34.4' }),
    'not JSON',
    '',
  ];
  const { calls, unread } = auditLines(lines.join('\n'), [1, 26]);
  assert.deepEqual([calls.length, unread], [4, 1]);
  const [use, ...rest] = countCalls(calls);
  assert.equal(rest.length, 0);
  assert.deepEqual(use?.caller, {
    userAgent: 'scaler/v0.1',
    user: 'system:serviceaccount:ops:scaler',
    verbs: ['list'],
    count: 4,
    first: event.requestReceivedTimestamp,
    last: event.requestReceivedTimestamp,
    pod: 'ops/scaler-1',
  });
});

const ofGoogle = {
  protoPayload: {
    '@type': 'type.googleapis.com/google.cloud.audit.AuditLog',
    authenticationInfo: { principalEmail: 'system:serviceaccount:ops:scaler' },
    methodName: 'io.k8s.autoscaling.v2beta2.horizontalpodautoscalers.list',
    requestMetadata: { callerIp: '10.0.0.1', callerSuppliedUserAgent: 'scaler/v0.1' },
    resourceName: 'autoscaling/v2beta2/namespaces/ops/horizontalpodautoscalers/web',
    serviceName: 'k8s.io',
  },
  labels: { 'k8s.io/deprecated': 'true', 'k8s.io/removed-release': '1.26' },
  timestamp: '2026-01-01T00:00:00Z',
};

test('audit logs are read in the words of each cloud', () => {
  const ofAzure = {
    Verb: 'list',
    Stage: 'ResponseComplete',
    User: JSON.stringify(event.user),
    UserAgent: 'scaler/v0.1',
    ObjectRef: event.objectRef,
    TimeGenerated: '2026-01-01T00:00:00Z',
  };
  const lines = [
    ofGoogle,
    {
      ...ofGoogle,
      protoPayload: { ...ofGoogle.protoPayload, resourceName: 'core/v1/namespaces/a/pods/b' },
      labels: {},
    },
    ofAzure,
    { log_s: JSON.stringify(event) },
    { records: [{ category: 'kube-audit', properties: { log: JSON.stringify(event) } }] },
    { events: [{ message: JSON.stringify(event), timestamp: 1 }] },
    { messageType: 'DATA_MESSAGE', logEvents: [{ id: '1', message: JSON.stringify(event) }] },
    {
      results: [
        [
          { field: '@timestamp', value: '2026' },
          { field: '@message', value: JSON.stringify(event) },
        ],
      ],
    },
  ].map((line) => JSON.stringify(line));
  lines.push(`2026-01-01T00:00:00.000Z ${JSON.stringify(event)}`);
  const { calls, unread } = auditLines(lines.join('\n'), [1, 26]);
  assert.deepEqual([calls.length, unread], [8, 0]);
  for (const { verb, user, userAgent } of calls)
    assert.deepEqual([verb, user, userAgent], ['list', 'system:serviceaccount:ops:scaler', 'scaler/v0.1']);
});

test('what the API server calls deprecated is told though nothing is known of it', () => {
  const called = (apiVersion: string, annotations: object) =>
    auditLines(
      JSON.stringify({
        ...event,
        objectRef: { resource: 'widgets', apiGroup: 'shop.example', apiVersion },
        annotations,
      }),
      [1, 36],
    ).calls[0]?.verdict;
  assert.equal(called('v1', {}), undefined);
  const custom = called('v1alpha1', { 'k8s.io/deprecated': 'true' });
  assert.deepEqual([custom?.state, custom?.life.definition?.name], ['deprecated', 'widgets.shop.example']);
  assert.equal(called('v1beta9', { 'k8s.io/deprecated': 'true', 'k8s.io/removed-release': '1.36' })?.state, 'removed');
  assert.equal(
    called('v1beta9', { 'k8s.io/deprecated': 'true', 'k8s.io/removed-release': '1.40' })?.state,
    'deprecated',
  );
});

test('a file of an audit log may be lines, packed lines, or one document', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-audit-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = (name: string, content: string | Buffer) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const count = async (path: string) => {
    const { calls, unread } = await auditFile(path, [1, 26]);
    return [calls.length, unread];
  };
  const lines = `${JSON.stringify(event)}\r\nnot JSON\n${JSON.stringify(ofGoogle)}\n`;
  assert.deepEqual(await count(file('a.log', lines)), [2, 1]);
  assert.deepEqual(await count(file('a.log.gz', gzipSync(lines))), [2, 1]);
  assert.deepEqual(await count(file('list.json', JSON.stringify([ofGoogle, ofGoogle], undefined, 2))), [2, 0]);
  assert.deepEqual(
    await count(file('one.json', JSON.stringify({ kind: 'EventList', items: [event] }, undefined, 1))),
    [1, 0],
  );
  assert.deepEqual(await count(file('empty.log', '')), [0, 0]);
  await assert.rejects(count(join(folder, 'gone.log')), /The audit log cannot be read: ENOENT/);
  await assert.rejects(count(file('broken.gz', 'no gzip')), /The audit log cannot be read: incorrect header/);
});

test('our own calls are told by the application in whose name they are made', () => {
  const userAgent = 'tiphys/0.1.0 (sync; argocd/shop; apply)';
  const { calls } = auditLines(JSON.stringify({ ...event, userAgent }), [1, 26]);
  assert.equal(countCalls(calls)[0]?.application, 'argocd/shop');
});

test('only what is one line is changed, and the rest says why not', () => {
  const nightly = `apiVersion: batch/v1beta1
kind: CronJob
metadata: {name: nightly}
spec:
  schedule: "0 0 * * *"
  jobTemplate: {spec: {template: {spec: {containers: [{name: a, image: b}], restartPolicy: Never}}}}
---
`;
  const ingress = `apiVersion: networking.k8s.io/v1beta1
kind: Ingress
metadata: {name: web}
spec:
  rules: [{http: {paths: [{path: /, backend: {serviceName: web, servicePort: 80}}]}}]
---
`;
  const budget =
    'apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\nspec: {minAvailable: 1}\n';
  const template = '---\napiVersion: batch/v1beta1\nkind: CronJob\nmetadata:\n  name: {{ .Release.Name }}\n';
  const { text, changes, refusals } = fixText(nightly + ingress + budget + template, [1, 35]);
  assert.deepEqual(changes, [{ line: 1, before: 'apiVersion: batch/v1beta1', after: 'apiVersion: batch/v1' }]);
  assert.equal(text, `${nightly.replace('batch/v1beta1', 'batch/v1')}${ingress}${budget}${template}`);
  assert.match(refusals[0]?.reason ?? '', /pathType must be given; .*backend\.serviceName is gone or has moved/);
  assert.match(refusals[1]?.reason ?? '', /every pod in v1/);
  assert.match(refusals[2]?.reason ?? '', /template/);
});

test('warnings are worded as the API server words them', () => {
  const life = apiLives().get('autoscaling/v2beta2/HorizontalPodAutoscaler');
  assert.ok(life);
  assert.equal(
    warningOf(life),
    'autoscaling/v2beta2 HorizontalPodAutoscaler is deprecated in v1.23+, unavailable in v1.26+; use autoscaling/v2 HorizontalPodAutoscaler',
  );
  const { uses } = upgradeReport({
    target: [1, 26],
    uses: countCalls(auditLines(JSON.stringify(event), [1, 26]).calls),
  });
  const [use] = uses;
  assert.ok(use);
  const diagnosis = useDiagnosis(use, '1.26');
  assert.equal(diagnosis.code, 'ApiRemoved');
  assert.match(diagnosis.message, /^ops\/scaler-1 uses autoscaling\/v2beta2 HorizontalPodAutoscaler/);
});

test('a use of a file is told with its line, its patch and who wrote it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-upgrade-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const nightly = (name: string) =>
    `# of ${name}\nmetadata: {name: ${name}}\napiVersion: batch/v1beta1\nkind: CronJob\nspec: {schedule: "@daily", jobTemplate: {}}`;
  const text = `${nightly('a')}\n---\n${nightly('b')}`;
  writeFileSync(join(folder, 'a.yaml'), text);
  const life = apiLives().get('batch/v1beta1/CronJob');
  assert.ok(life);
  const use = (line: number) => ({ origin: 'rendered', api: life, state: 'removed', file: 'a.yaml', line }) as const;
  const writer = async (line: number) => ({ commit: `c${line}`, author: 'Ann', date: '2026-01-01T00:00:00Z' });
  const uses = await withChanges([use(2), use(8), { ...use(1), file: 'made' }], [1, 35], async (file) =>
    file === 'a.yaml' ? { text, writer } : undefined,
  );
  assert.deepEqual(
    uses.map(({ line, change, commit }) => [line, change?.line, commit?.revision]),
    [
      [3, 3, 'c3'],
      [9, 9, 'c9'],
      [1, undefined, undefined],
    ],
  );
  const changes = uses.flatMap(({ change }) => change ?? []);
  writeFileSync(join(folder, 'one.patch'), uses[1]?.change?.patch ?? '');
  writeFileSync(join(folder, 'all.patch'), patchOf('a.yaml', text, changes));
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder });
  git('init', '-q');
  git('apply', '--check', 'one.patch');
  git('apply', 'all.patch');
  assert.equal(readFileSync(join(folder, 'a.yaml'), 'utf8'), fixText(text, [1, 35]).text);
});
