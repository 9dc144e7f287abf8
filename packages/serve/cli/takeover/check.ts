import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApplications } from '@tiphys/applications';
import { diagnosisOf, formatDiagnosis } from '@tiphys/diagnosis';
import { GitRepositories } from '@tiphys/git';
import { type Client, type Clock, pause } from '@tiphys/kubernetes';
import {
  type Decision,
  type DecisionDifference,
  differencesOf,
  judgeApplications,
  shownDecisions,
} from '@tiphys/self-management';

export interface TakeoverCheck {
  readonly applications: number;
  readonly same: number;
  readonly differences: readonly DecisionDifference[];
  /** Applications that could not be held against each other: an operation runs, or Argo CD has not judged them. */
  readonly notJudged: readonly string[];
  /** Faults that were met on the way. */
  readonly problems: readonly string[];
}

export interface TakeoverCheckOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Milliseconds after which what is known by then is the result. */
  readonly timeout: number;
  /** Folders that applications may name repositories of by their paths. */
  readonly localRepositories: readonly string[];
}

/** Between two looks at how far it is, in milliseconds. */
const period = 500;

/** Judges every application as Tiphys would, without writing anything, and holds that against what its status says. */
export async function checkApplications(options: TakeoverCheckOptions): Promise<TakeoverCheck> {
  const { client, namespace, clock, timeout, localRepositories } = options;
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-takeover-'));
  const abort = new AbortController();
  const signal = AbortSignal.any([options.signal, abort.signal]);
  const problems = new Set<string>();
  const git = new GitRepositories({
    cacheDir: join(folder, 'git'),
    clock,
    localRepositories: { below: [...localRepositories], except: [folder] },
  });
  const applications = await startApplications({
    client,
    namespace,
    delivers: false,
    git,
    cacheDir: folder,
    clock,
    signal,
    onError: (key, error) => problems.add(`${key}: ${formatDiagnosis(diagnosisOf(error))}`),
  });
  try {
    const all = () => [...applications.shared.applications.list()];
    const decisions = new Map<string, Decision>();
    const progress = { rounds: 0 };
    const judging = judgeApplications(
      { applications: all, compare: (ref) => applications.backend.comparison(ref, signal), clock, signal },
      decisions,
      progress,
    );
    const deadline = clock.now() + timeout;
    const result = () => {
      const shown = shownDecisions(all(), '');
      const differences = differencesOf(shown, decisions);
      const keys = all().map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
      const notJudged = keys.filter(
        (key) => decisions.get(key)?.revisions !== shown.get(key)?.revisions || !shown.has(key),
      );
      const same = keys.length - notJudged.length - differences.length;
      return { applications: keys.length, same, differences, notJudged: notJudged.sort(), problems: [...problems] };
    };
    // one round more where something differs: two views of a cluster are never of the same moment
    while (
      clock.now() < deadline &&
      !signal.aborted &&
      (progress.rounds < 1 || (progress.rounds < 3 && result().differences.length > 0))
    )
      await pause(clock, period, signal);
    const found = result();
    abort.abort(new Error('the check is over'));
    await judging;
    return found;
  } finally {
    abort.abort(new Error('the check is over'));
    await applications.close();
    await git.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
