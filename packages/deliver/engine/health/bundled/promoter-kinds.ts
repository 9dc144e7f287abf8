import type { KubeObject } from '@tiphys/kubernetes';
import { objectsAt, textAt } from '../../model/fields.ts';
import type { Health } from '../../model/model.ts';
import { health } from '../conditions.ts';
import { type Check, type Checks, hasStatus, listAt } from './check.ts';

interface Stage {
  /** What the object is called in a sentence. */
  readonly name: string;
  /** What is said before anything is known. */
  readonly starting: string;
  readonly missing: string;
  readonly failed: string;
  /** Said with a reason other than a failed reconciliation. */
  readonly refused: string;
  /** Said while `Ready` is Unknown; absent: such a state is passed over. */
  readonly unknown?: string;
  readonly types?: readonly string[];
}

/** The state of the controller of GitOps Promoter itself; undefined once the object is up to date. */
function stage({ name, starting, missing, failed, refused, unknown, types = ['Ready'] }: Stage): Check {
  return (object) => {
    if (!hasStatus(object)) return health('Progressing', starting);
    const list = objectsAt(object, 'status', 'conditions').filter(({ type }) => types.includes(String(type)));
    for (const condition of list) {
      const { generation } = object.metadata;
      const { observedGeneration: seen } = condition;
      if (seen !== undefined && generation !== undefined && seen !== generation)
        return health('Progressing', `Waiting for ${name} spec update to be observed`);
      const reason = textAt(condition, 'reason') || 'Unknown';
      const message = textAt(condition, 'message');
      if (condition.status === 'False') {
        const text = message || 'Unknown error';
        return health(
          'Degraded',
          reason === 'ReconciliationError' ? `${failed}: ${text}` : `${refused} (${reason}): ${text}`,
        );
      }
      if (condition.status === 'Unknown' && unknown)
        return health('Progressing', `${unknown} (${reason}): ${message || 'Unknown'}`);
    }
    return list.length > 0 ? undefined : health('Progressing', missing);
  };
}

/** The words of the kinds that reconcile, and of those that only have to be valid. */
const reconciled = (name: string, sentence: string): Stage => ({
  name,
  starting: `Initializing ${name}`,
  missing: `${sentence} is not ready yet`,
  failed: `${sentence} reconciliation failed`,
  refused: `${sentence} reconciliation failed`,
});
const validated = (
  kind: string,
  words: { starting: string; subject: string; failed: string; unknown?: string },
): Stage => ({
  name: kind,
  starting: `Initializing ${words.starting}`,
  missing: `${kind} Ready condition is missing`,
  failed: `${words.subject} ${words.failed}`,
  refused: `${words.subject} not ready`,
  unknown: `${words.subject} ${words.unknown ?? 'readiness unknown'}`,
});

function kind(words: Stage, settled: (object: KubeObject) => Health): Check {
  const before = stage(words);
  return (object) => before(object) ?? settled(object);
}

interface Tally {
  readonly pending: readonly string[];
  readonly failed: readonly string[];
  readonly good: number;
}

/** Commit statuses by their phase. */
function tally(statuses: readonly unknown[]): Tally {
  const keys = (phase: string) =>
    statuses.filter((one) => textAt(one, 'phase') === phase).map((one) => textAt(one, 'key'));
  return { pending: keys('pending'), failed: keys('failure'), good: keys('success').length };
}

function tallyText({ pending, failed, good }: Tally): string {
  const list = (what: string, keys: readonly string[]) =>
    keys.length > 0 ? `${what} commit statuses: ${keys.join(', ')}. ` : '';
  const counts = `${pending.length} pending, ${good} successful, ${failed.length} failed. `;
  return counts + list('Pending', pending) + list('Failed', failed);
}

const short = (sha: string) => sha.slice(0, 7);
const dry = (holder: unknown, side: string) => textAt(holder, side, 'dry', 'sha');
const statusesOf = (holder: unknown, side: string) => tally(listAt(holder, side, 'commitStatuses'));

function policy({ status }: KubeObject): Health {
  for (const side of ['active', 'proposed'])
    if (!dry(status, side)) return health('Progressing', `The ${side} commit DRY SHA is missing or empty.`);
  const [active, proposed] = [dry(status, 'active'), dry(status, 'proposed')];
  if (active !== proposed) {
    const told = tallyText(statusesOf(status, 'proposed'));
    return health('Progressing', `Promotion in progress from '${short(active)}' to '${short(proposed)}': ${told}`);
  }
  const current = statusesOf(status, 'active');
  if (current.pending.length + current.failed.length === 0)
    return health('Healthy', `Environment is up-to-date on commit ${short(active)}.`);
  const told = 'Environment is up-to-date, but there are non-successful active commit statuses: ';
  return health('Healthy', told + tallyText(current));
}

/** What the hydrator has processed last. */
const hydrated = (environment: unknown) =>
  textAt(environment, 'proposed', 'note', 'drySha') || dry(environment, 'proposed');

function strategy(object: KubeObject): Health {
  const environments = objectsAt(object, 'status', 'environments');
  const [first] = environments;
  if (!first) return health('Degraded', 'Promotion strategy has no environments configured');
  for (const environment of environments) {
    const missing = !dry(environment, 'active') ? 'active' : hydrated(environment) ? '' : 'proposed';
    if (missing) {
      const where = `in environment '${textAt(environment, 'branch')}'.`;
      return health('Progressing', `The ${missing} commit DRY SHA is missing or empty ${where}`);
    }
  }
  if (environments.some((environment) => hydrated(environment) !== hydrated(first))) {
    const why = 'This likely means the hydrator has not run for all environments yet.';
    return health('Progressing', `Not all environments have the same proposed commit SHA. ${why}`);
  }
  const moving = environments.find((environment) => dry(environment, 'proposed') !== dry(environment, 'active'));
  if (moving) {
    const way = `from '${short(dry(moving, 'active'))}' to '${short(dry(moving, 'proposed'))}'`;
    const told = tallyText(statusesOf(moving, 'proposed'));
    const done = `Hydrator has processed dry commit '${short(hydrated(moving))}'. `;
    return health(
      'Progressing',
      `Promotion in progress for environment '${textAt(moving, 'branch')}' ${way}: ${told}${done}`,
    );
  }
  return settledStrategy(environments);
}

function settledStrategy(environments: readonly unknown[]): Health {
  const notes = environments.flatMap((environment) => {
    const { pending, failed } = statusesOf(environment, 'active');
    if (pending.length + failed.length === 0) return [];
    return [`${textAt(environment, 'branch')} (${failed.length} failed, ${pending.length} pending)`];
  });
  if (notes.length > 0) {
    const told = 'Environments are up-to-date, but some environments have non-successful commit statuses: ';
    return health('Healthy', `${told}${notes.join(', ')}.`);
  }
  const [first] = environments;
  const on = `All environments are up-to-date on commit '${short(dry(first, 'active'))}'.`;
  return health('Healthy', `${on} Hydrator has processed dry commit '${short(hydrated(first))}'.`);
}

/** Gates that are decided for each environment. */
function gates(words: { none: string; verb: string; good: string }): (object: KubeObject) => Health {
  return (object) => {
    const environments = objectsAt(object, 'status', 'environments');
    if (environments.length === 0) return health('Healthy', words.none);
    const by = (test: (phase: string) => boolean) =>
      environments
        .filter((environment) => test(textAt(environment, 'phase') || 'pending'))
        .map((environment) => textAt(environment, 'branch') || '?');
    const failed = by((phase) => phase === 'failure');
    if (failed.length > 0) return health('Degraded', `${words.verb} failed for branch(es): ${failed.join(', ')}`);
    const pending = by((phase) => phase !== 'success');
    if (pending.length > 0) return health('Progressing', `${words.verb} pending for branch(es): ${pending.join(', ')}`);
    return health('Healthy', `${words.verb} ${words.good} for ${environments.length} environment(s)`);
  };
}

const provider = (name: string, subject: string) => {
  const words = validated(name, { starting: subject, subject: capital(subject), failed: 'validation failed' });
  return kind(words, () => health('Healthy', `${capital(subject)} is ready`));
};

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const group = 'promoter.argoproj.io';

/** Kinds of GitOps Promoter. Objects that are being deleted never come here. */
export const promoterKinds: Checks = {
  [`${group}/ArgoCDCommitStatus`]: kind(reconciled('Argo CD commit status', 'Argo CD commit status'), (object) => {
    const count = listAt(object, 'status', 'applicationsSelected').length;
    return count === 0
      ? health('Degraded', 'Argo CD commit status has no applications configured')
      : health('Healthy', `Argo CD commit status is healthy and is tracking ${count} applications`);
  }),
  [`${group}/ChangeTransferPolicy`]: kind(reconciled('change transfer policy', 'Change transfer policy'), policy),
  [`${group}/ClusterScmProvider`]: provider('ClusterScmProvider', 'cluster SCM provider'),
  [`${group}/CommitStatus`]: kind(reconciled('commit status', 'Commit status'), ({ status }) => {
    const [sha, phase] = [textAt(status, 'sha'), textAt(status, 'phase')];
    const told = sha && phase ? `Commit status for commit ${sha} reports ${phase}` : 'Commit status is healthy';
    return health('Healthy', told);
  }),
  [`${group}/GitCommitStatus`]: kind(
    validated('GitCommitStatus', {
      starting: 'git commit validation',
      subject: 'Git commit validation',
      failed: 'failed',
      unknown: 'status unknown',
    }),
    gates({ none: 'Git commit validation reconciled', verb: 'Git commit validation', good: 'passed' }),
  ),
  [`${group}/GitRepository`]: kind(
    validated('GitRepository', { starting: 'Git repository', subject: 'Git repository', failed: 'validation failed' }),
    () => health('Healthy', 'Git repository is ready'),
  ),
  [`${group}/PromotionStrategy`]: kind(reconciled('promotion strategy', 'Promotion strategy'), strategy),
  [`${group}/PullRequest`]: kind(
    { ...reconciled('pull request', 'Pull request'), types: ['Reconciled', 'Ready'] },
    ({ status }) => {
      const [id, state] = [textAt(status, 'id'), textAt(status, 'state')];
      return health('Healthy', id && state ? `Pull request is ${state} as PR ${id}` : 'Pull request is healthy');
    },
  ),
  [`${group}/ScmProvider`]: provider('ScmProvider', 'SCM provider'),
  [`${group}/TimedCommitStatus`]: kind(
    validated('TimedCommitStatus', {
      starting: 'timed commit gate',
      subject: 'Timed commit gate',
      failed: 'failed',
      unknown: 'status unknown',
    }),
    gates({ none: 'Timed commit gate reconciled', verb: 'Timed commit gate', good: 'satisfied' }),
  ),
  [`${group}/WebRequestCommitStatus`]: kind(
    validated('WebRequestCommitStatus', {
      starting: 'web request commit validation',
      subject: 'Web request commit validation',
      failed: 'failed',
      unknown: 'unknown',
    }),
    gates({ none: 'Web request commit validation reconciled', verb: 'Web request validation', good: 'passed' }),
  ),
};
