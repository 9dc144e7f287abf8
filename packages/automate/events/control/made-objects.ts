import type { Diagnosis } from '@tiphys/diagnosis';
import { type Client, type Clock, Informer, type KubeObject } from '@tiphys/kubernetes';
import type { Sensor, TriggerTemplate } from '../spec/sensor.ts';
import { madeFailure } from '../trouble/made-failure.ts';

/** How an object that a trigger made has ended. */
interface Outcome {
  readonly failed: boolean;
  readonly reason: string;
  /** What explains it. */
  readonly cause?: Diagnosis | undefined;
}

/** What is kept of an object that a trigger made. */
interface Made extends KubeObject {
  /** Absent before its end. */
  readonly outcome?: Outcome | undefined;
}

type Judge = (object: KubeObject) => Outcome | undefined;

interface KindMade {
  readonly apiVersion: string;
  readonly kind: string;
  readonly judge: () => Promise<Judge>;
}

type Phased = { readonly phase?: string; readonly message?: string; readonly reason?: string } | undefined;

/** Kinds that come to an end, which is good or bad. */
const kinds: readonly KindMade[] = [
  {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    judge: async () => {
      const { explainWorkflow } = await import('@tiphys/workflows');
      return (workflow) => {
        const { phase, message = '' } = (workflow.status as Phased) ?? {};
        if (phase === 'Succeeded') return { failed: false, reason: '' };
        if (phase !== 'Failed' && phase !== 'Error') return undefined;
        return { failed: true, reason: message || phase, cause: explainWorkflow(workflow as never)[0] };
      };
    },
  },
  {
    apiVersion: 'batch/v1',
    kind: 'Job',
    judge: () =>
      Promise.resolve((job) => {
        const { conditions = [] } =
          (job.status as { conditions?: { type: string; status: string; message?: string }[] }) ?? {};
        const end = conditions.find(
          ({ type, status }) => status === 'True' && (type === 'Failed' || type === 'Complete'),
        );
        return end && { failed: end.type === 'Failed', reason: end.message ?? '' };
      }),
  },
  {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AnalysisRun',
    judge: () =>
      Promise.resolve((run) => {
        const { phase = '', message = '' } = (run.status as Phased) ?? {};
        if (phase === 'Successful') return { failed: false, reason: '' };
        return phase === 'Failed' || phase === 'Error' ? { failed: true, reason: message || phase } : undefined;
      }),
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    judge: () =>
      Promise.resolve((pod) => {
        const { phase = '', message, reason } = (pod.status as Phased) ?? {};
        if (phase === 'Succeeded') return { failed: false, reason: '' };
        return phase === 'Failed' ? { failed: true, reason: message || reason || phase } : undefined;
      }),
  },
];

const sensorLabel = 'events.argoproj.io/sensor';
const triggerLabel = 'events.argoproj.io/trigger';
const timeLabel = 'events.argoproj.io/action-timestamp';
/** As many in a row that failed are no accident. */
const enough = 3;

interface MadeObjectsOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called with the name of a Sensor one of whose objects is another. */
  readonly changed: (sensor: string) => void;
}

/**
 * What became of the objects that the triggers of Sensors make. A trigger that makes a Workflow has done its work, however that ends; that all of
 * them fail is known here alone. Each kind is followed, by the label that triggers give, from the first Sensor on that makes it.
 */
export class MadeObjects {
  readonly #options: MadeObjectsOptions;
  readonly #views = new Map<string, Informer<Made>>();

  constructor(options: MadeObjectsOptions) {
    this.#options = options;
  }

  /** Follows what the triggers of a Sensor make. */
  async follow(sensor: Sensor): Promise<void> {
    for (const { kind, apiVersion } of targetsOf(sensor)) {
      const known = kinds.find((each) => each.kind === kind && each.apiVersion === apiVersion);
      if (!known || this.#views.has(kind)) continue;
      const { client, clock, signal, changed } = this.#options;
      if (!(await client.discovery.find(apiVersion, kind))) continue;
      const judge = await known.judge();
      if (this.#views.has(kind)) continue;
      const view = new Informer<Made>(client, {
        ref: { apiVersion, kind },
        labelSelector: sensorLabel,
        clock,
        transform: (object) => ({ apiVersion, kind, metadata: briefly(object), outcome: judge(object) }),
      });
      this.#views.set(kind, view);
      view.subscribe(({ object }) => changed(object.metadata.labels?.[sensorLabel] ?? ''));
      view.start(signal);
    }
  }

  /** Triggers of a Sensor all of whose objects, or the last of them, have failed. */
  diagnoses(sensor: Sensor): Diagnosis[] {
    return targetsOf(sensor).flatMap(({ trigger, kind, namespace }) => {
      const ended = [...(this.#views.get(kind)?.list() ?? [])]
        .filter(({ metadata, outcome }) => {
          const { labels = {} } = metadata;
          const isOwn = labels[sensorLabel] === sensor.metadata.name && labels[triggerLabel] === trigger;
          return isOwn && metadata.namespace === namespace && outcome !== undefined;
        })
        .sort((a, b) => timeOf(b) - timeOf(a));
      const recent = ended.slice(0, enough);
      const [last] = recent;
      if (!last || !recent.every(({ outcome }) => outcome?.failed)) return [];
      const good = ended.findIndex(({ outcome }) => !outcome?.failed);
      const { name: of = '', namespace: at = '' } = sensor.metadata;
      return [
        madeFailure({
          ...{ sensor: `argoproj.io/Sensor ${at}/${of}`, trigger, kind },
          last: `${namespace}/${last.metadata.name}`,
          count: good < 0 ? ended.length : good,
          all: good < 0,
          reason: last.outcome?.reason ?? '',
          cause: last.outcome?.cause,
        }),
      ];
    });
  }
}

interface Target {
  readonly trigger: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
}

/** What the triggers of a Sensor create, as far as its spec says. */
function targetsOf({ metadata, spec }: Sensor): Target[] {
  return (spec.triggers ?? []).flatMap(({ template }) => {
    const made = template && madeBy(template);
    if (!made) return [];
    const { resource, kind = resource?.kind ?? '', apiVersion = resource?.apiVersion ?? '' } = made;
    const namespace = resource?.metadata?.namespace || (metadata.namespace ?? '');
    return [{ trigger: template.name, apiVersion, kind, namespace }];
  });
}

function madeBy({ k8s, argoWorkflow }: TriggerTemplate) {
  if (argoWorkflow && ['', 'submit', 'submit-from'].includes(argoWorkflow.operation ?? ''))
    return { resource: argoWorkflow.source?.resource, kind: 'Workflow', apiVersion: 'argoproj.io/v1alpha1' };
  return k8s && ['', 'create'].includes(k8s.operation ?? '') ? { resource: k8s.source?.resource } : undefined;
}

const timeOf = ({ metadata }: Made) => Number(metadata.labels?.[timeLabel] ?? 0);

function briefly({ metadata }: KubeObject): KubeObject['metadata'] {
  const { name, namespace, uid, resourceVersion, labels } = metadata;
  const kept = Object.entries(labels ?? {}).filter(
    ([key]) => key === sensorLabel || key === triggerLabel || key === timeLabel,
  );
  return { name, namespace, uid, resourceVersion, labels: Object.fromEntries(kept) } as KubeObject['metadata'];
}
