import { type Application, names } from '@tiphys/api';
import { shownStatus } from '@tiphys/applications';
import { diagnosisOf, formatDiagnosis } from '@tiphys/diagnosis';
import type { ComparedResource } from '@tiphys/engine';
import { type Client, type Clock, pause } from '@tiphys/kubernetes';
import { type Decision, decisionOf, objectWords, shownDecision } from './decisions.ts';
import { writeReport } from './report.ts';
import type { Need } from './rights.ts';

export interface CandidateOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly clock: Clock;
  readonly version: string;
  readonly applications: () => Iterable<Application>;
  /** Compares an application as another process delivers it. */
  readonly compare: (
    ref: { readonly namespace: string; readonly name: string },
    signal: AbortSignal,
  ) => Promise<{ readonly status: string; readonly resources: readonly ComparedResource[] }>;
  readonly needs: readonly Need[];
  readonly port: number;
  /** Bytes that the process takes and may take; nothing bounds it if `limit` is absent. */
  readonly memory: () => { readonly used: number; readonly limit?: number };
  readonly signal: AbortSignal;
}

/** Between two reports, in milliseconds. */
const reportPeriod = 2_000;
/** Applications that are compared at once. */
const atOnce = 8;

/** Judges one application after the other, round after round, and reports what came of it until the signal aborts. Writes nothing else. */
export async function runCandidate(options: CandidateOptions): Promise<void> {
  const { clock, signal, client, namespace } = options;
  const decisions = new Map<string, Decision>();
  const progress = { rounds: 0 };
  const judging = judgeApplications(options, decisions, progress);
  for (let number = 1; !signal.aborted; number++) {
    const all = [...options.applications()];
    const known = new Set(all.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
    for (const key of decisions.keys()) if (!known.has(key)) decisions.delete(key);
    const { used, limit } = options.memory();
    await writeReport(client, namespace, {
      version: options.version,
      number,
      rounds: progress.rounds,
      compared: decisions.size,
      of: all.length,
      ...(limit ? { memory: used / limit } : {}),
      problems: [],
      needs: options.needs,
      port: options.port,
      decisions: Object.fromEntries(decisions),
    });
    await pause(clock, reportPeriod, signal);
  }
  await judging;
}

/** Judges all applications round after round until the signal aborts: `decisions` are the last ones, by the applications' keys. */
export async function judgeApplications(
  options: Pick<CandidateOptions, 'applications' | 'compare' | 'clock' | 'signal'>,
  decisions: Map<string, Decision>,
  progress: { rounds: number },
): Promise<void> {
  const { clock, signal } = options;
  while (!signal.aborted) {
    const queue = [...options.applications()];
    const work = async () => {
      for (let next = queue.pop(); next && !signal.aborted; next = queue.pop()) {
        const key = `${next.metadata.namespace}/${next.metadata.name}`;
        const decision = await decide(options, next);
        if (decision) decisions.set(key, decision);
        else decisions.delete(key);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    if (!signal.aborted) progress.rounds += 1;
    await pause(clock, reportPeriod, signal);
  }
}

/** Undefined where the running version has not decided either, or something is going on. */
async function decide(
  { compare, signal }: Pick<CandidateOptions, 'compare' | 'signal'>,
  application: Application,
): Promise<Decision | undefined> {
  const shown = shownDecision(application);
  if (!shown || application.metadata.annotations?.[names.annotations.skipReconcile]) return undefined;
  const { namespace = '', name = '' } = application.metadata;
  const revisions = shown.revisions.split(',');
  try {
    const { status, resources } = await compare({ namespace, name }, signal);
    return decisionOf(
      status,
      revisions,
      resources.map((resource) => ({
        key: objectWords(resource.key),
        status: shownStatus(resource) ?? '',
        prune: resource.requiresPruning,
      })),
    );
  } catch (error) {
    if (signal.aborted) return undefined;
    const failed = decisionOf('Unknown', revisions, []);
    return { ...failed, words: `Unknown: ${formatDiagnosis(diagnosisOf(error)).slice(0, 300)}` };
  }
}
