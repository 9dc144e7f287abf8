import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { Application } from '@tiphys/api';
import type { Client, KubeObject } from '@tiphys/kubernetes';
import { parseDocuments } from '@tiphys/yaml';
import { GitServer, long, RealCluster, ServedRepository } from './real-cluster.ts';
import {
  type Change,
  crashAfter,
  crashAtStart,
  droppedField,
  failingServer,
  hangAfter,
  imageMissing,
  inController,
  leak,
  littleMemory,
  refusingWebhook,
  release,
  wrongRights,
} from './self-release.ts';
import { until } from './until.ts';

const namespace = 'argocd';
const self = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace, name: 'tiphys' };
const stateRef = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'tiphys-self-management' };
const settings = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'settings' };

interface State {
  readonly phase: string;
  readonly revisions: readonly string[];
  readonly findings: readonly { readonly code: string; readonly message: string }[];
  readonly settled?: boolean;
}

interface Fault {
  readonly title: string;
  readonly changes: readonly Change[];
  readonly phase: 'Refused' | 'TakenBack';
  /** Of the first finding; whichever is seen first. */
  readonly code: RegExp;
  /** Longer than what shows after a time while the version is proved. */
  readonly proof?: string;
}

const running = { proved: false };
const candidate = { proved: true };
const faults: readonly Fault[] = [
  { title: 'whose image is missing', changes: [imageMissing], phase: 'Refused', code: /^SelfImageMissing$/ },
  { title: 'that crashes at its start', changes: [crashAtStart], phase: 'Refused', code: /^SelfCandidateCrashed$/ },
  { title: 'whose rights are wrong', changes: [wrongRights], phase: 'Refused', code: /^SelfRightsLacking$/ },
  {
    title: 'whose definition drops a field',
    changes: [droppedField],
    phase: 'Refused',
    code: /^SelfDefinitionDropsFields$/,
  },
  {
    title: 'that hangs while it is proved',
    changes: [inController(hangAfter(12), candidate)],
    proof: '10m',
    phase: 'Refused',
    code: /^Self(CandidateHangs|CandidateSilent|ApiFails)$/,
  },
  {
    title: 'that leaks memory',
    changes: [littleMemory, inController(leak, candidate)],
    proof: '10m',
    phase: 'Refused',
    code: /^Self(MemoryGrows|CandidateCrashed)$/,
  },
  {
    title: 'that crashes after a time',
    changes: [inController(crashAfter(25), running)],
    phase: 'TakenBack',
    code: /^Self(ProcessUnhealthy|LeaseAbandoned|ReconcileLag)$/,
  },
  {
    title: 'that hangs after a time',
    changes: [inController(hangAfter(25), running)],
    phase: 'TakenBack',
    code: /^Self(LeaseAbandoned|ProcessUnhealthy|ReconcileLag)$/,
  },
  {
    title: 'whose API answers 500',
    changes: [failingServer],
    phase: 'TakenBack',
    code: /^Self(ApiFails|ProcessUnhealthy)$/,
  },
  {
    title: 'whose webhook refuses everything',
    changes: [refusingWebhook],
    phase: 'TakenBack',
    code: /^Self(WritesRefused|SyncFailed)$/,
  },
];

describe('Tiphys delivers itself on a node with containers', { skip: long, timeout: 3_600_000 }, () => {
  const cluster = new RealCluster();
  const git = new GitServer();
  const installation = new ServedRepository(git, 'tiphys');
  const shop = new ServedRepository(git, 'shop');
  let client: Client;
  let manifests: string;
  let value = 0;

  const manifestsOf = (...changes: readonly Change[]): string => {
    const objects = parseDocuments(manifests, { file: 'deploy/base' }).documents.map(
      ({ value: of }) => of as unknown as KubeObject,
    );
    for (const change of changes) change(objects);
    return objects.map((object) => JSON.stringify(object)).join('\n---\n');
  };
  const stateOf = ({ data }: KubeObject): State | undefined => {
    const { state } = (data ?? {}) as { state?: string };
    return state ? (JSON.parse(state) as State) : undefined;
  };
  const refresh = (name: string) =>
    client.patch({ ...self, name }, 'merge', { metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } } });
  /** How the delivery of a commit ended. */
  const ended = async (commit: string): Promise<State> => {
    const isIt = (state: State | undefined) => state?.settled === true && state.revisions.includes(commit);
    return stateOf(await until<KubeObject>(client, stateRef, (object) => isIt(stateOf(object)))) as State;
  };

  const shown = (text: string) => ({
    'a.yaml': JSON.stringify({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: settings.name },
      data: { value: text },
    }),
  });

  /** Another application is delivered, by anyone who delivers now. */
  async function delivers(): Promise<void> {
    value += 1;
    const wanted = String(value);
    await shop.commit(shown(wanted));
    await refreshPatiently();
    await until<KubeObject>(client, settings, ({ data }) => (data as { value?: string }).value === wanted);
  }

  /** While a webhook refuses every write this one is refused too. */
  async function refreshPatiently(): Promise<void> {
    for (;;)
      try {
        return void (await refresh('shop'));
      } catch (error) {
        if (!/webhook/.test(String(error))) throw error;
      }
  }

  /** Commits a version and gives how its delivery ended, with the longest time between two deliveries of another application. */
  async function deliver(t: TestContext, changes: readonly Change[], proof = '5s'): Promise<State> {
    await client.patch(self, 'merge', { metadata: { annotations: { 'tiphys.dev/proof-period': proof } } });
    const commit = await installation.commit({ 'all.yaml': manifestsOf(...changes) });
    await refresh('tiphys');
    const over = ended(commit);
    let done = false;
    void over.then(
      () => {
        done = true;
      },
      () => {
        done = true;
      },
    );
    let longest = { time: 0, phase: '' };
    while (!done) {
      const phase = stateOf(await client.get(stateRef))?.phase ?? '';
      const begun = performance.now();
      await delivers();
      const time = performance.now() - begun;
      if (time > longest.time) longest = { time, phase };
    }
    const took = (longest.time / 1000).toFixed(1);
    t.diagnostic(`longest time until another application was delivered: ${took} s, begun in phase ${longest.phase}`);
    return over;
  }

  before(async () => {
    await cluster.up();
    await cluster.load(process.env.TIPHYS_CLUSTER_IMAGE ?? '');
    client = cluster.client();
    manifests = await cluster.kubectl('kustomize', 'deploy/base');
    git.serve();
    const first = await installation.commit({ 'all.yaml': manifestsOf() });
    await shop.commit(shown('0'));
    await cluster.kubectl('create', 'namespace', namespace);
    await cluster.kubectl('apply', '--server-side', '-n', namespace, '-k', 'deploy/base');
    const ready = ({ status }: KubeObject) => (status as { readyReplicas?: number } | undefined)?.readyReplicas === 1;
    const apps = { apiVersion: 'apps/v1', namespace };
    await until(client, { ...apps, kind: 'StatefulSet', name: 'argocd-application-controller' }, ready);
    await until(client, { ...apps, kind: 'Deployment', name: 'argocd-server' }, ready);
    const application = (name: string, repoURL: string, destination: string): KubeObject =>
      ({
        ...self,
        metadata: {
          name,
          namespace,
          annotations: { 'tiphys.dev/proof-period': '5s', 'tiphys.dev/watch-period': '40s' },
        },
        spec: {
          project: 'default',
          source: { repoURL, path: '.', targetRevision: 'main' },
          destination: { server: 'https://kubernetes.default.svc', namespace: destination },
          syncPolicy: { automated: { selfHeal: true }, syncOptions: ['ServerSideApply=true', 'CreateNamespace=true'] },
        },
      }) as unknown as KubeObject;
    await client.create(application('shop', shop.url, 'shop'));
    await client.create(application('tiphys', installation.url, namespace));
    // the first sync marks the objects as its own, which is proved and watched as any other
    await ended(first);
    await until<Application>(client, self, ({ status }) => status?.sync?.status === 'Synced');
    await delivers();
  });

  after(async () => {
    await client?.close();
    git.close();
    await cluster.down();
  });

  test('a good version is delivered, while other applications are', async (t) => {
    const { phase, findings } = await deliver(t, [release('good')]);
    assert.deepEqual([phase, findings], ['Delivered', []]);
  });

  for (const { title, changes, phase, code, proof } of faults)
    test(`a version ${title} is ${phase === 'Refused' ? 'refused' : 'taken back'}, while other applications are delivered`, async (t) => {
      const state = await deliver(t, [release(title), ...changes], proof);
      assert.equal(state.phase, phase, JSON.stringify(state.findings));
      assert.match(state.findings[0]?.code ?? '', code);
      await delivers();
      const { metadata } = await client.get<Application>(self);
      assert.ok(metadata.annotations?.['tiphys.dev/quarantined-revisions']);
    });

  test('and a good version is delivered after all of them', async (t) => {
    const { phase, findings } = await deliver(t, [release('better')]);
    assert.deepEqual([phase, findings], ['Delivered', []]);
  });
});
