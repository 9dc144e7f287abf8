import { type Application, names } from '@tiphys/api';
import { type Client, type Clock, type KubeObject, quantityValue } from '@tiphys/kubernetes';
import type { Observation, ProcessSeen } from '../decide/observation.ts';
import { lookAt, podsOf } from '../guard/processes.ts';
import type { GuardRecord } from '../guard/record.ts';
import { type Decision, differencesOf, shownDecision } from '../prove/decisions.ts';
import { type CandidateReport, readReport } from '../prove/report.ts';
import { lackingRights } from '../prove/rights.ts';
import { kinds } from '../state/diagnoses.ts';
import { controllerName, own, serverName } from '../state/names.ts';
import type { Finding, SelfUpdate } from '../state/state.ts';
import { askPod, residentMemory } from './probe.ts';

export interface ObserveParts {
  readonly client: Client;
  readonly namespace: string;
  readonly clock: Clock;
  readonly applications: () => Iterable<Application>;
  readonly signal: AbortSignal;
}

type Seen = Pick<Observation, 'operation' | 'operationMessage'>;

/** A sync that has been tried so often fails for what it delivers. */
const fewAttempts = 2;

/** How the sync stands that is guarded. */
export function operationSeen(application: Application | undefined, { operation }: SelfUpdate): Seen {
  const state = application?.status?.operationState;
  if (!state || state.startedAt !== operation) return { operation: 'Ended' };
  const message = state.message ? { operationMessage: state.message } : {};
  if (state.phase === 'Succeeded') return { operation: 'Succeeded' };
  if (state.phase === 'Failed' || state.phase === 'Error') return { operation: 'Failed', ...message };
  if (state.phase === 'Terminating') return { operation: 'Ended' };
  return (state.retryCount ?? 0) > fewAttempts ? { operation: 'Failed', ...message } : { operation: 'Running' };
}

/** What can be seen of a candidate. */
export async function observeCandidate(
  { client, namespace, applications, signal }: ObserveParts,
  state: SelfUpdate,
  record: GuardRecord,
): Promise<Pick<Observation, 'candidate' | 'manifests'>> {
  const place = { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: own.candidate };
  const process = await lookAt(client, place);
  const report = await readReport(client, namespace);
  if (!report) return { candidate: { process, apiAsked: false, differences: [] } };
  const pods = await podsOf(client, namespace, { 'app.kubernetes.io/name': own.candidate });
  const pod = pods.find(({ metadata }) => !metadata.deletionTimestamp)?.metadata.name;
  const asked = pod !== undefined && hasServer(record);
  const answer = asked
    ? await askPod(client, { namespace, name: pod, port: report.port, path: '/api/version' }, signal)
    : undefined;
  const problem = answer && 'problem' in answer ? answer.problem : undefined;
  const outOfReach = problem === undefined ? undefined : await wayProblem({ client, namespace, signal });
  return {
    manifests: rightsFindings(report, record, namespace),
    candidate: {
      process,
      report,
      apiAsked: answer !== undefined || !hasServer(record),
      ...(outOfReach === undefined ? {} : { outOfReach }),
      ...(problem === undefined || outOfReach !== undefined ? {} : { apiProblem: problem }),
      differences: differencesOf(
        shownDecisions(applications(), state.application),
        new Map(Object.entries(report.decisions)),
      ),
    },
  };
}

/** What keeps the running version's API from answering through the API server; undefined if one of its pods does. */
async function wayProblem({
  client,
  namespace,
  signal,
}: Pick<ObserveParts, 'client' | 'namespace' | 'signal'>): Promise<string | undefined> {
  const problems = await apiProblems({ client, namespace, signal });
  return problems.length > 0 && problems.every((each) => each !== undefined) ? problems[0] : undefined;
}

/** What is wrong with the answers of the installation's API, for each of its ready pods; undefined for a good one. */
async function apiProblems({ client, namespace, signal }: Pick<ObserveParts, 'client' | 'namespace' | 'signal'>) {
  const pods = (await podsOf(client, namespace, { 'app.kubernetes.io/name': serverName })).filter(isReady);
  return await Promise.all(
    pods.map(async (pod) => {
      const place = {
        namespace,
        name: pod.metadata.name ?? '',
        port: portOf(pod, 'http') ?? 8080,
        path: '/api/version',
      };
      const answer = await askPod(client, place, signal);
      return 'problem' in answer ? answer.problem : undefined;
    }),
  );
}

function rightsFindings({ needs }: CandidateReport, { rights, candidate }: GuardRecord, namespace: string): Finding[] {
  const accounts = new Map([
    ['controller', candidate.spec.serviceAccountName ?? 'default'],
    ['server', serverName],
  ]);
  return [...accounts].flatMap(([role, name]) =>
    lackingRights(
      rights,
      { name, namespace },
      needs.filter((need) => need.role === role),
    ).map(({ group, resource, verb, why }) => ({
      code: kinds.rightsLacking.code,
      message: `ServiceAccount ${name} may not ${verb} ${resource}${group ? `.${group}` : ''}, ${why}`,
    })),
  );
}

/** What the running version has decided, but for the application that delivers it. */
export function shownDecisions(applications: Iterable<Application>, self: string): Map<string, Decision> {
  const shown = new Map<string, Decision>();
  for (const application of applications) {
    const key = `${application.metadata.namespace}/${application.metadata.name}`;
    const decision = key === self ? undefined : shownDecision(application);
    if (decision) shown.set(key, decision);
  }
  return shown;
}

export async function observeProcesses(
  { client }: ObserveParts,
  { processes, restarts }: GuardRecord,
): Promise<ProcessSeen[]> {
  return await Promise.all(processes.map((place) => lookAt(client, place, restarts)));
}

/** What the API and the controller of the new version show from outside. */
export async function observeService({ client, namespace, signal }: ObserveParts, record: GuardRecord) {
  const problems = hasServer(record) ? await apiProblems({ client, namespace, signal }) : [];
  const apiProblem = problems.findLast((each) => each !== undefined);
  let memory: number | undefined;
  for (const pod of (await podsOf(client, namespace, { 'app.kubernetes.io/name': controllerName })).filter(isReady)) {
    const [port, limit] = [portOf(pod, 'metrics'), memoryLimit(pod)];
    if (!port || !limit) continue;
    const answer = await askPod(client, { namespace, name: pod.metadata.name ?? '', port, path: '/metrics' }, signal);
    const used = 'text' in answer ? residentMemory(answer.text) : undefined;
    if (used !== undefined) memory = Math.max(memory ?? 0, used / limit);
  }
  return { apiProblem, ...(memory === undefined ? {} : { memory }) };
}

/** Whether the installation has an API. */
export function hasServer({ processes }: GuardRecord): boolean {
  return processes.some(({ name }) => name === serverName);
}

interface Container {
  readonly ports?: readonly { readonly name?: string; readonly containerPort?: number }[];
  readonly resources?: { readonly limits?: { readonly memory?: string } };
}

const containersOf = ({ spec }: KubeObject) => (spec as { containers?: readonly Container[] }).containers ?? [];

function portOf(pod: KubeObject, name: string): number | undefined {
  return containersOf(pod)
    .flatMap(({ ports = [] }) => ports)
    .find((port) => port.name === name)?.containerPort;
}

function memoryLimit(pod: KubeObject): number | undefined {
  const text = containersOf(pod)[0]?.resources?.limits?.memory;
  return text === undefined ? undefined : Number(quantityValue(text));
}

function isReady({ metadata, status }: KubeObject): boolean {
  const { conditions = [] } = (status ?? {}) as { conditions?: { type: string; status: string }[] };
  return !metadata.deletionTimestamp && conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}

/** Whether the leases of those who deliver are renewed, by when their records change on our clock. */
export class LeaseWatch {
  readonly #seen = new Map<string, { record: string; at: number }>();
  #lookedAt = Number.NEGATIVE_INFINITY;

  /** True unless one of the leases has not changed for `timeout` milliseconds. */
  async delivering({ client, namespace, clock }: ObserveParts, timeout: number): Promise<boolean> {
    const leases = await client.list({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace });
    let good = true;
    // who looks seldom, as on a machine that has no time, cannot tell late from lost
    if (clock.now() - this.#lookedAt >= timeout) this.#seen.clear();
    this.#lookedAt = clock.now();
    for (const { metadata, spec } of leases.items) {
      const name = metadata.name ?? '';
      if (!/^tiphys-controller-\d+$/.test(name)) continue;
      const record = JSON.stringify(spec);
      const known = this.#seen.get(name);
      if (known?.record !== record) this.#seen.set(name, { record, at: clock.now() });
      else if (clock.now() - known.at >= timeout) good = false;
    }
    return good;
  }

  forget(): void {
    this.#seen.clear();
  }
}

/** Whether the refresh that was asked for last has been taken up. */
export function isAnswered(application: Application | undefined): boolean {
  return application?.metadata.annotations?.[names.annotations.refresh] === undefined;
}
