import { createHash } from 'node:crypto';
import { type Diagnosis, diagnosisOf, formatDiagnosis } from '@tiphys/diagnosis';
import { type Clock, pause, timestamp } from '@tiphys/kubernetes';
import type { Backend } from '../ports/backend.ts';
import type { Log } from '../ports/log.ts';
import type { ControlPlane } from '../settings/control-plane.ts';
import { CheckResults, type ReplicaConnection } from './check-results.ts';
import { accessOf, type Repositories } from './repositories.ts';
import { type RepositoryJson, withCredentials } from './repository-fields.ts';

export interface RepositoryChecksOptions {
  readonly plane: ControlPlane;
  readonly repositories: Repositories;
  readonly backend: Pick<Backend, 'testRepository'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Name of this process among all that check, such as its pod's. */
  readonly replica: string;
  /** The machine that it runs on. */
  readonly node: string;
  /** Milliseconds between two checks in the background; 0: only when somebody looks. */
  readonly interval: number;
}

/** Argo CD's connectionState, and what is behind it: one entry a replica, by name. */
export interface Connection {
  readonly state: { status: 'Successful' | 'Failed'; message: string; attemptedAt: string };
  readonly replicas: readonly ReplicaConnection[];
}

/** A result serves calls for this long, in milliseconds. */
const believed = 60_000;
/** What was found wrong is looked at again after this time, in milliseconds. */
const doubtful = 15_000;
/** Checks side by side in the background. */
const width = 4;

/**
 * Whether each replica can reach each repository. A repository that was reached is called failed only after two of the last
 * three checks failed, and the other way round, so that one lost packet does not make the state flap; every replica writes down what it found, and
 * all are shown.
 */
export class RepositoryChecks {
  readonly #options: RepositoryChecksOptions;
  readonly #results: CheckResults;
  readonly #running = new Map<string, Promise<void>>();

  constructor(options: RepositoryChecksOptions) {
    this.#options = options;
    this.#results = new CheckResults(options);
  }

  /** The connection of a repository; this replica checks it now if it has not done so of late, or with `force`. */
  async connection(json: RepositoryJson, force = false, signal?: AbortSignal): Promise<Connection> {
    const { clock, interval } = this.#options;
    const at = this.#results.own(keyOf(json), digestOf(json))?.at;
    if (force || at === undefined || clock.now() - at >= Math.max(believed, 2 * interval)) {
      await this.#check(json, signal);
      if (this.#results.isDoubtful(keyOf(json))) await this.#check(json, signal);
      await this.#results.save();
    }
    return this.#summary(json);
  }

  /** Checks all declared repositories every `interval` milliseconds, doubtful ones sooner, until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    const { repositories, clock, log, interval } = this.#options;
    while (interval > 0 && !signal.aborted) {
      try {
        const now = clock.now();
        const all = await repositories.list();
        const due = all.filter((json) => {
          const key = keyOf(json);
          const own = this.#results.own(key, digestOf(json));
          const soon = this.#results.isDoubtful(key) || this.#results.hasNotices(key);
          return own === undefined || now - own.at >= (soon ? doubtful : interval);
        });
        for (let at = 0; at < due.length; at += width)
          await Promise.all(due.slice(at, at + width).map((json) => this.#check(json, signal)));
        this.#results.keep(all.map(keyOf));
        await this.#results.save();
        await this.#results.removeGone(interval);
      } catch (error) {
        if (signal.aborted) return;
        log('error', 'the repositories could not be checked', { error: formatDiagnosis(diagnosisOf(error)) });
      }
      await pause(clock, Math.min(interval, doubtful), signal);
    }
  }

  #check(json: RepositoryJson, signal: AbortSignal | undefined): Promise<void> {
    const key = keyOf(json);
    const running = this.#running.get(key) ?? this.#ask(json, signal).finally(() => this.#running.delete(key));
    this.#running.set(key, running);
    return running;
  }

  async #ask(json: RepositoryJson, signal: AbortSignal | undefined): Promise<void> {
    const { repositories, backend } = this.#options;
    const url = String(json.repo ?? '');
    const outcome = await this.#outcome(async () => {
      const access = accessOf(withCredentials(json, await repositories.template(url)));
      return await backend.testRepository(access, signal);
    });
    // who gave up waiting has found nothing out
    if (signal?.aborted) return;
    this.#results.add(keyOf(json), { url, project: String(json.project ?? ''), digest: digestOf(json) }, outcome);
  }

  async #outcome(work: () => Promise<readonly Diagnosis[]>): Promise<{ error?: Diagnosis; notices: string[] }> {
    try {
      return { notices: (await work()).map(noticeOf) };
    } catch (error) {
      return { error: diagnosisOf(error), notices: [] };
    }
  }

  #summary(json: RepositoryJson): Connection {
    const replicas = this.#results.of(keyOf(json), digestOf(json));
    const failed = replicas.filter(({ status }) => status === 'Failed');
    const attemptedAt =
      replicas
        .map(({ checkedAt }) => checkedAt)
        .sort()
        .at(-1) ?? timestamp(this.#options.clock.now());
    return {
      state: { status: failed.length > 0 ? 'Failed' : 'Successful', message: messageOf(replicas, failed), attemptedAt },
      replicas,
    };
  }
}

/** One sentence: why nobody gets there, or who does not, or what is wrong all the same. */
function messageOf(replicas: readonly ReplicaConnection[], failed: readonly ReplicaConnection[]): string {
  const [first] = failed;
  if (!first) return [...new Set(replicas.flatMap(({ notices }) => notices))].join('; ');
  if (failed.length === replicas.length) return `Unable to connect to repository: ${first.message}`;
  const who = failed.map(({ replica, node, message }) => `${replica} on node ${node}: ${message}`).join('; ');
  return `Unable to connect to repository from ${failed.length} of ${replicas.length} replicas: ${who}`;
}

/** What is wrong, and what to do about it. */
function noticeOf(diagnosis: Diagnosis): string {
  const remedy = diagnosis.remedies[0]?.text;
  return remedy ? `${formatDiagnosis(diagnosis)}. ${remedy}` : formatDiagnosis(diagnosis);
}

function keyOf(json: RepositoryJson): string {
  return createHash('sha256')
    .update(`${String(json.project ?? '')}|${String(json.repo ?? '')}`)
    .digest('hex')
    .slice(0, 32);
}

/** Results of other settings say nothing about these. */
function digestOf(json: RepositoryJson): string {
  return createHash('sha256')
    .update(JSON.stringify(Object.entries(json).sort()))
    .digest('hex')
    .slice(0, 16);
}
