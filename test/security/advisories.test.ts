import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { DiagnosisError } from '@tiphys/diagnosis';
import { type KubeObject, systemClock } from '@tiphys/kubernetes';
import { harmlessContainer } from '../../packages/automate/events/control/harmless-container.ts';
import { serveWebhook } from '../../packages/automate/events/source/hooks/webhook-route.ts';
import type { SourceContext } from '../../packages/automate/events/source/source.ts';
import { readGitFile } from '../../packages/automate/events/trigger/git-artifact.ts';
import { setExecutableSpec } from '../../packages/automate/workflows/operation/executable-spec.ts';
import { substitute } from '../../packages/automate/workflows/text/substitute.ts';
import { summaryOf } from '../../packages/deliver/applications/reconciliation/summary.ts';
import { nodeFacts } from '../../packages/deliver/engine/cache/node-info.ts';
import { startTestServer } from '../../packages/serve/server/testing/start-test-server.ts';

describe('The API', () => {
  test('the first password is random, and no name of the cluster (CVE-2020-8828)', async (t) => {
    const [one, other] = [await startTestServer(t), await startTestServer(t)];
    assert.match(one.password, /^[\w-]{16,}$/);
    assert.notEqual(one.password, other.password);
    for (const password of ['argocd-server', 'tiphys', 'admin', 'password', ''])
      assert.notEqual((await one.call('/api/v1/session', { body: { username: 'admin', password } })).status, 200);
  });

  test('who cannot log in does not learn whether the account exists (CVE-2020-11576)', async (t) => {
    const { call } = await startTestServer(t);
    const answers = [];
    for (const username of ['admin', 'nobody']) {
      const { status, body } = await call('/api/v1/session', { body: { username, password: 'wrong' } });
      answers.push(JSON.stringify([status, body]));
    }
    assert.equal(new Set(answers).size, 1);
  });

  test('the version tells strangers no versions of tools (CVE-2021-26923)', async (t) => {
    const { call, login } = await startTestServer(t);
    const { body } = await call('/api/version');
    assert.deepEqual(Object.keys(body), ['Version']);
    assert.ok(Object.keys((await call('/api/version', { token: await login() })).body).length > 1);
  });

  test('guesses are counted, also when the password is right at last (CVE-2020-8827)', async (t) => {
    const { call, password } = await startTestServer(t, { throttle: { limit: 3 } });
    const attempt = async (word: string) =>
      (await call('/api/v1/session', { body: { username: 'admin', password: word } })).status;
    for (let count = 0; count < 8; count += 1) assert.notEqual(await attempt('wrong'), 200);
    assert.notEqual(await attempt(password), 200);
  });

  test('what is created cannot bring an operation with it (CVE-2023-50726)', async (t) => {
    const { call, login, client } = await startTestServer(t);
    const spec = {
      project: 'default',
      source: { repoURL: 'https://host.example/x', path: '.' },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'x' },
    };
    const operation = { sync: { manifests: ['kind: ClusterRole'], revision: 'HEAD' } };
    const { status, body } = await call('/api/v1/applications?validate=false', {
      token: await login(),
      body: { metadata: { name: 'shop' }, spec, operation },
    });
    assert.equal(status, 200, JSON.stringify(body));
    const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: 'argocd', name: 'shop' };
    assert.equal((await client.get<KubeObject & { operation?: unknown }>(ref)).operation, undefined);
  });
});

test('links from annotations lead to http addresses only (CVE-2022-31035, CVE-2024-28175, CVE-2026-45738)', () => {
  const hostile = [
    'javascript:alert(1)',
    ' JavaScript:alert(1)',
    'java\tscript:alert(1)',
    'data:text/html,<script>1</script>',
    'vbscript:x',
    'Docs|javascript:fetch(1)',
    '//evil.example',
    'file:///etc/passwd',
  ];
  const annotations = Object.fromEntries(hostile.map((link, index) => [`link.argocd.argoproj.io/x${index}`, link]));
  const metadata = { name: 'x', namespace: 'y', annotations };
  for (const kind of ['ConfigMap', 'Ingress'])
    assert.deepEqual(
      nodeFacts({ apiVersion: 'networking.k8s.io/v1', kind, metadata }).networking?.externalURLs ?? [],
      [],
    );
  assert.deepEqual(summaryOf([], { metadata } as never).externalURLs ?? [], []);
});

describe('Workflows', () => {
  test('a parameter that looks like a template stays text (CVE-2021-37914)', () => {
    for (const value of ["{{=sprig.env('HOME')}}", '{{workflow.name}}', '"}},{"image":"evil'])
      assert.deepEqual(
        substitute({ args: ['{{inputs.parameters.x}}'] }, new Map([['inputs.parameters.x', value]]), 'keep'),
        { args: [value] },
      );
  });

  test('a restricted workflow sets no field but those that are harmless (CVE-2026-31892, CVE-2026-42296, CVE-2026-54526)', () => {
    const run = (spec: object) =>
      setExecutableSpec({
        workflow: { metadata: { name: 'x' }, spec: { workflowTemplateRef: { name: 't' }, ...spec } },
        status: {},
        facts: { settings: { templateReferencing: 'Strict' }, template: () => ({ spec: { entrypoint: 'main' } }) },
      } as never);
    run({ arguments: {} });
    for (const [field, value] of Object.entries({
      podSpecPatch: '{"hostNetwork": true}',
      hostNetwork: true,
      securityContext: { runAsUser: 0 },
      serviceAccountName: 'admin',
      tolerations: [{}],
      nodeSelector: {},
      volumes: [],
      executor: {},
      templates: [],
      templateDefaults: {},
      podMetadata: {},
      hooks: {},
      onExit: 'x',
      imagePullSecrets: [],
      artifactGC: { podSpecPatch: '{}' },
    }))
      assert.throws(() => run({ [field]: value }), /not permitted/, field);
  });
});

describe('Events', () => {
  test('the container of an event source or sensor cannot be made a privileged one (CVE-2025-32445)', () => {
    for (const container of [
      { securityContext: { privileged: true } },
      { securityContext: { allowPrivilegeEscalation: true } },
      { securityContext: { capabilities: { add: ['SYS_ADMIN'] } } },
      { securityContext: { procMount: 'Unmasked' } },
      { command: ['sh'] },
      { args: ['-c', 'id'] },
      { image: 'evil' },
      { lifecycle: { postStart: {} } },
      { livenessProbe: { exec: { command: ['sh'] } } },
      { volumeDevices: [] },
    ])
      assert.throws(() => harmlessContainer(container), DiagnosisError, JSON.stringify(container));
    const fine = { resources: {}, env: [], securityContext: { privileged: false, runAsNonRoot: true } };
    assert.deepEqual(harmlessContainer(fine), fine);
  });

  test('a git artifact of a sensor is no file of this machine (CVE-2022-25856)', async (t) => {
    const scratch = mkdtempSync(join(tmpdir(), 'tiphys-sensor-'));
    t.after(() => rmSync(scratch, { recursive: true, force: true }));
    const opened: { close(): Promise<void> }[] = [];
    t.after(() => Promise.all(opened.map((one) => one.close())));
    const context = {
      scratch,
      clock: systemClock,
      connections: {
        get: async (_: string, open: () => Promise<{ close(): Promise<void> }>) => {
          const made = await open();
          opened.push(made);
          return made;
        },
      },
      keys: {},
    } as never;
    for (const url of [join(import.meta.dirname, '..', '..'), 'file:///etc', '/proc/self/root/etc'])
      await assert.rejects(
        readGitFile({ url, filePath: 'package.json', cloneDirectory: '/x' } as never, context),
        DiagnosisError,
      );
  });

  test('a webhook of an event source reads no more than its limit (CVE-2022-31054)', async (t) => {
    let handler: RequestListener = () => undefined;
    const abort = new AbortController();
    const failures: unknown[] = [];
    const context = {
      namespace: 'a',
      sourceName: 'b',
      eventName: 'c',
      keys: {},
      signal: abort.signal,
      failed: (error: unknown) => void failures.push(error),
      dispatch: async () => undefined,
      http: {
        add: async (route: { handler: RequestListener }) => {
          handler = route.handler;
          return { remove: async () => undefined };
        },
      },
    } as unknown as SourceContext;
    const served = serveWebhook(
      context,
      { endpoint: '/x', port: '1' },
      async () => ({ events: [] }),
      () => undefined,
    );
    const server = createServer((request, response) => handler(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(async () => {
      abort.abort();
      await served;
      server.close();
      server.closeAllConnections();
    });
    const { port } = server.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}/x`, { method: 'POST', body: Buffer.alloc(3 << 20) });
    assert.equal(answer.status, 400);
    assert.match(await answer.text(), /too large/);
  });
});
