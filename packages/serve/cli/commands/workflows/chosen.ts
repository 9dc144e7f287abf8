import { goDurationOrSeconds } from '@tiphys/go';
import { type Client, type KubeObject, systemClock, youngestFirst } from '@tiphys/kubernetes';
import { type Command, InvalidArgumentError } from 'commander';

const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow' } as const;
const labels = {
  completed: 'workflows.argoproj.io/completed',
  resubmitted: 'workflows.argoproj.io/resubmitted-from-workflow',
} as const;

export type ListedWorkflow = KubeObject & {
  readonly status?: {
    readonly phase?: string;
    readonly progress?: string;
    readonly message?: string;
    readonly startedAt?: string;
    readonly finishedAt?: string;
  };
};

/** Which workflows, besides those that are named. */
export interface Choice {
  readonly selector?: string;
  readonly fieldSelector?: string;
  readonly prefix?: string;
  readonly status?: string;
  readonly completed?: boolean;
  readonly running?: boolean;
  readonly resubmitted?: boolean;
  readonly since?: string;
  readonly older?: string;
  readonly all?: boolean;
  readonly allNamespaces?: boolean;
}

/** Flags of a command that choose workflows by what they are. */
export function addChoice(command: Command): Command {
  return command
    .option('-l, --selector <selector>', 'Those with these labels')
    .option('--field-selector <selector>', 'Those with these fields, such as metadata.name=one')
    .option('--prefix <text>', 'Those whose name begins so')
    .option('--status <phases>', 'Those in one of these phases, such as Failed,Error')
    .option('--completed', 'Those that have ended')
    .option('--resubmitted', 'Those that are a run of another one')
    .option('--older <duration>', 'Those that ended longer ago, such as 3h or 7d');
}

/** Whether something is chosen at all: nobody should delete everything by a forgotten name. */
export function choosesSome(choice: Choice): boolean {
  const { selector, fieldSelector, prefix, status, completed, resubmitted, older, all } = choice;
  return Boolean(selector || fieldSelector || prefix || status || completed || resubmitted || older || all);
}

/** The chosen workflows, the newest first; of those of one second the one that was written last. */
export async function chosenWorkflows(client: Client, namespace: string, choice: Choice): Promise<ListedWorkflow[]> {
  const { selector, fieldSelector, completed, running, resubmitted, allNamespaces } = choice;
  const terms = [
    selector,
    completed && `${labels.completed}=true`,
    running && `${labels.completed}!=true`,
    resubmitted && labels.resubmitted,
  ].filter(Boolean);
  const found: ListedWorkflow[] = [];
  for (let from: string | undefined, more = true; more; more = Boolean(from)) {
    const { items, metadata } = await client.list<ListedWorkflow>(
      { ...ref, ...(allNamespaces ? {} : { namespace }) },
      {
        limit: 500,
        ...(terms.length > 0 ? { labelSelector: terms.join(',') } : {}),
        ...(fieldSelector ? { fieldSelector } : {}),
        ...(from ? { continue: from } : {}),
      },
    );
    found.push(...items.filter(filterOf(choice)));
    from = metadata.continue;
  }
  return found.sort(youngestFirst);
}

/** The name of a workflow: `@latest` is the one that was created last, as upstream has it. Throws a `VerbError` if there is none. */
export async function nameOf(client: Client, namespace: string, name: string): Promise<string> {
  if (name !== '@latest') return name;
  const [newest] = await chosenWorkflows(client, namespace, {});
  if (newest?.metadata.name) return newest.metadata.name;
  const { VerbError } = await import('@tiphys/workflows');
  throw new VerbError(`@latest: there is no workflow in ${namespace}`);
}

function filterOf({ prefix, status, since, older }: Choice): (workflow: ListedWorkflow) => boolean {
  const phases = status?.split(',').map((phase) => phase.trim());
  const now = systemClock.now();
  const youngest = since === undefined ? undefined : now - duration('--since', since);
  const oldest = older === undefined ? undefined : now - duration('--older', older);
  return ({ metadata, status: { phase = 'Pending', finishedAt } = {} }) =>
    (!prefix || (metadata.name ?? '').startsWith(prefix)) &&
    (!phases || phases.includes(phase)) &&
    (youngest === undefined || time(metadata.creationTimestamp) >= youngest) &&
    (oldest === undefined || (finishedAt !== undefined && time(finishedAt) < oldest));
}

/** A duration of Go, or days as upstream takes them, in milliseconds. */
function duration(flag: string, text: string): number {
  const days = /^(\d{1,6})d$/.exec(text)?.[1];
  const length = days === undefined ? goDurationOrSeconds(text) : Number(days) * 86_400_000;
  if (length === undefined) throw new InvalidArgumentError(`${flag} ${text} is no duration, such as 10m, 3h or 7d`);
  return length;
}

function time(text: string | undefined): number {
  return text ? Date.parse(text) : 0;
}
