import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, KubeObject } from '@tiphys/kubernetes';
import { compareServers } from './two-servers.ts';

/*
 * More of the sandbox's controllers against kube-controller-manager: what a workload's status, conditions and events are
 * when nobody but the test plays the kubelet. Needs TIPHYS_TEST_KUBECONFIG.
 */

const labels = { app: 'it' };
const selector = { matchLabels: labels };
/** Pods that no scheduler takes. */
const podSpec = { schedulerName: 'nobody', containers: [{ name: 'main', image: 'nginx:1' }] };
const template = { metadata: { labels }, spec: podSpec };
const jobTemplate = { spec: { ...podSpec, restartPolicy: 'Never' } };

class Stage {
  readonly #client: Client;
  readonly #namespace: string;

  constructor(client: Client, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  create(apiVersion: string, kind: string, body: object, metadata: object = {}): Promise<KubeObject> {
    const object = { apiVersion, kind, metadata: { name: 'it', namespace: this.#namespace, ...metadata }, ...body };
    return this.#client.create(object);
  }

  async list(apiVersion: string, kind: string): Promise<KubeObject[]> {
    return (await this.#client.list({ apiVersion, kind, namespace: this.#namespace })).items;
  }

  patch(apiVersion: string, kind: string, body: object): Promise<KubeObject> {
    return this.#client.patch({ apiVersion, kind, namespace: this.#namespace, name: 'it' }, 'merge', body);
  }

  async until(apiVersion: string, kind: string, wanted: (objects: KubeObject[]) => boolean): Promise<KubeObject[]> {
    for (let turn = 0; turn < 300; turn++) {
      const objects = await this.list(apiVersion, kind);
      if (wanted(objects)) return objects;
      await sleep(100);
    }
    throw new Error(`${kind}s at ${this.#client.server} are ${JSON.stringify(await this.list(apiVersion, kind))}`);
  }

  /** Waits for so many events about a kind; answers with all of them, sorted, without made-up names. */
  async events(kind: string, count: number): Promise<string[]> {
    const about = ({ involvedObject }: KubeObject) => (involvedObject as { kind?: string }).kind === kind;
    const told = (await this.until('v1', 'Event', (all) => all.filter(about).length >= count)).filter(about);
    return told.map(({ type, reason, message }) => `${type} ${reason}: ${message}`).sort();
  }

  async end(
    pod: KubeObject,
    phase: 'Running' | 'Succeeded' | 'Failed',
    exitCode = phase === 'Failed' ? 1 : 0,
  ): Promise<void> {
    const time = `${new Date().toISOString().slice(0, 19)}Z`;
    const ended = phase !== 'Running';
    const terminated = { exitCode, startedAt: time, finishedAt: time };
    const state = ended ? { terminated } : { running: { startedAt: time } };
    const status = {
      phase,
      startTime: time,
      podIP: '10.1.2.3',
      podIPs: [{ ip: '10.1.2.3' }],
      conditions: [{ type: 'Ready', status: ended ? 'False' : 'True', lastTransitionTime: time }],
      containerStatuses: [{ name: 'main', image: 'nginx:1', imageID: '', restartCount: 0, ready: !ended, state }],
    };
    const ref = { apiVersion: 'v1', kind: 'Pod', namespace: this.#namespace, name: pod.metadata.name ?? '' };
    await this.#client.patch(ref, 'merge', { status }, { subresource: 'status' });
  }
}

const statusOf = (object: KubeObject | undefined) => (object?.status ?? {}) as Record<string, number | undefined>;
const conditionOf = (object: KubeObject | undefined, type: string) =>
  (object?.status as { conditions?: { type: string; status: string; reason: string }[] })?.conditions?.find(
    (condition) => condition.type === type,
  );
const living = (pods: KubeObject[]) => pods.filter(({ status }) => (status as { phase: string }).phase === 'Pending');
const indexOf = (pod: KubeObject) => pod.metadata.annotations?.['batch.kubernetes.io/job-completion-index'];

const scenarios: Record<string, (stage: Stage) => Promise<unknown>> = {
  'a deployment that does not get on': async (stage) => {
    await stage.create('apps/v1', 'Deployment', {
      spec: { replicas: 1, progressDeadlineSeconds: 1, selector, template },
    });
    const [stuck] = await stage.until(
      'apps/v1',
      'Deployment',
      ([object]) =>
        conditionOf(object, 'Progressing')?.reason === 'ProgressDeadlineExceeded' &&
        statusOf(object).updatedReplicas === 1,
    );
    return [stuck?.status, await stage.events('Deployment', 1)];
  },
  'a deployment that is changed, paused and changed back': async (stage) => {
    await stage.create('apps/v1', 'Deployment', { spec: { replicas: 0, selector, template } });
    const settled = (revision: string) =>
      stage.until(
        'apps/v1',
        'Deployment',
        ([object]) =>
          object?.metadata.annotations?.['deployment.kubernetes.io/revision'] === revision &&
          statusOf(object).observedGeneration === object.metadata.generation,
      );
    await settled('1');
    const image = (name: string) => ({ spec: { template: { spec: { containers: [{ name: 'main', image: name }] } } } });
    await stage.patch('apps/v1', 'Deployment', image('nginx:2'));
    await settled('2');
    await stage.patch('apps/v1', 'Deployment', { spec: { paused: true } });
    await stage.until(
      'apps/v1',
      'Deployment',
      ([object]) => conditionOf(object, 'Progressing')?.reason === 'DeploymentPaused',
    );
    await stage.patch('apps/v1', 'Deployment', { spec: { paused: false, ...image('nginx:1').spec } });
    const [object] = await settled('3');
    const sets = await stage.list('apps/v1', 'ReplicaSet');
    const revisions = sets.map(({ metadata }) => [
      metadata.name,
      metadata.annotations?.['deployment.kubernetes.io/revision'],
      metadata.annotations?.['deployment.kubernetes.io/revision-history'],
    ]);
    return [conditionOf(object, 'Available')?.reason, revisions.map((each) => each.slice(1).join()).sort()];
  },
  'an indexed job with a limit of failures for each index': async (stage) => {
    const spec = {
      completions: 2,
      parallelism: 2,
      completionMode: 'Indexed',
      backoffLimitPerIndex: 0,
      template: jobTemplate,
    };
    await stage.create('batch/v1', 'Job', { spec });
    const pods = await stage.until('v1', 'Pod', (all) => all.length === 2);
    for (const pod of pods) await stage.end(pod, indexOf(pod) === '0' ? 'Succeeded' : 'Failed');
    const [job] = await stage.until('batch/v1', 'Job', ([object]) => conditionOf(object, 'Failed') !== undefined);
    return job?.status;
  },
  'a job whose policy fails it for an exit code': async (stage) => {
    const rules = [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } }];
    const spec = { completions: 2, parallelism: 1, podFailurePolicy: { rules }, template: jobTemplate };
    await stage.create('batch/v1', 'Job', { spec });
    const [pod] = await stage.until('v1', 'Pod', (all) => all.length === 1);
    await stage.end(pod as KubeObject, 'Failed', 42);
    const [job] = await stage.until('batch/v1', 'Job', ([object]) => conditionOf(object, 'Failed') !== undefined);
    const { conditions = [], ...status } = (job?.status ?? {}) as { conditions?: { message: string }[] };
    const name = new RegExp(pod?.metadata.name ?? '', 'g');
    return [
      status,
      conditions.map((each) =>
        JSON.stringify(each)
          .replace(name, 'POD')
          .replace(/\S+\/POD/, 'POD'),
      ),
    ];
  },
  'a job that succeeds with its leader': async (stage) => {
    const successPolicy = { rules: [{ succeededIndexes: '0' }] };
    const spec = { completions: 2, parallelism: 2, completionMode: 'Indexed', successPolicy, template: jobTemplate };
    await stage.create('batch/v1', 'Job', { spec });
    const pods = await stage.until('v1', 'Pod', (all) => all.length === 2);
    await stage.end(pods.find((pod) => indexOf(pod) === '0') as KubeObject, 'Succeeded');
    const [job] = await stage.until(
      'batch/v1',
      'Job',
      ([object]) => conditionOf(object, 'SuccessCriteriaMet') !== undefined,
    );
    return conditionOf(job, 'SuccessCriteriaMet');
  },
  'a job that is suspended': async (stage) => {
    await stage.create('batch/v1', 'Job', { spec: { suspend: true, template: jobTemplate } });
    const [job] = await stage.until('batch/v1', 'Job', ([object]) => conditionOf(object, 'Suspended') !== undefined);
    const told = await stage.events('Job', 1);
    await stage.patch('batch/v1', 'Job', { spec: { suspend: false } });
    await stage.until('v1', 'Pod', (all) => all.length === 1);
    const [again] = await stage.until(
      'batch/v1',
      'Job',
      ([object]) => conditionOf(object, 'Suspended')?.status === 'False',
    );
    return [job?.status, told, conditionOf(again, 'Suspended')];
  },
  'a job that is active for too long': async (stage) => {
    await stage.create('batch/v1', 'Job', { spec: { activeDeadlineSeconds: 1, template: jobTemplate } });
    const [job] = await stage.until('batch/v1', 'Job', ([object]) => conditionOf(object, 'Failed') !== undefined);
    return conditionOf(job, 'Failed');
  },
  'a stateful set that waits for its deletion to update': async (stage) => {
    const updateStrategy = { type: 'OnDelete' };
    const spec = { replicas: 1, serviceName: 'it', selector, template, updateStrategy };
    await stage.create('apps/v1', 'StatefulSet', { spec });
    const [pod] = await stage.until('v1', 'Pod', (all) => all.length === 1);
    await stage.end(pod as KubeObject, 'Running');
    await stage.until('apps/v1', 'StatefulSet', ([object]) => statusOf(object).readyReplicas === 1);
    await stage.patch('apps/v1', 'StatefulSet', {
      spec: { template: { spec: { containers: [{ name: 'main', image: 'nginx:2' }] } } },
    });
    const [set] = await stage.until('apps/v1', 'StatefulSet', ([object]) => statusOf(object).observedGeneration === 2);
    return [set?.status, (await stage.list('v1', 'Pod')).length, await stage.events('StatefulSet', 1)];
  },
  'a budget of disruptions': async (stage) => {
    await stage.create('apps/v1', 'ReplicaSet', { spec: { replicas: 3, selector, template } });
    const pods = await stage.until('v1', 'Pod', (all) => living(all).length === 3);
    for (const pod of pods) await stage.end(pod, 'Running');
    await stage.create('policy/v1', 'PodDisruptionBudget', { spec: { maxUnavailable: '34%', selector } });
    const [budget] = await stage.until(
      'policy/v1',
      'PodDisruptionBudget',
      ([object]) => statusOf(object).currentHealthy === 3,
    );
    return budget?.status;
  },
  'an owner in no namespace of the dependent': async (stage) => {
    const ownerReferences = [
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'kube-root-ca.crt', uid: 'f3b1c9a0-0000-4000-8000-000000000000' },
    ];
    await stage.create('v1', 'Secret', {}, { ownerReferences });
    await stage.until('v1', 'Secret', (all) => all.length === 0);
    return 'collected';
  },
};

compareServers(
  {
    title: 'workloads of the sandbox and of kube-controller-manager',
    prefix: 'workloads',
    // Made-up names differ, and so do hashes of templates, which nobody may count on.
    scrub: (text) => text.replace(/workloads-\w+/g, 'NAMESPACE').replace(/it-[a-z0-9]{5,10}(?=\W)/g, 'it-HASH'),
  },
  Object.fromEntries(
    Object.entries(scenarios).map(([name, scenario]) => [
      name,
      (client: Client, namespace: string) => scenario(new Stage(client, namespace)),
    ]),
  ),
);
