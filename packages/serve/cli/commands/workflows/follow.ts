import { type Client, isExpired, type KubeObject } from '@tiphys/kubernetes';
import type { DescribeOptions } from '@tiphys/workflows';
import type { Command } from 'commander';
import type { ApiSession } from '../../client/api-session.ts';
import { Exit, type Surroundings } from '../../terminal/command-context.ts';
import { pathOf } from './flow-server.ts';
import { printLogs } from './logs.ts';

const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow' } as const;
const completed = 'workflows.argoproj.io/completed';

export type FollowedWorkflow = KubeObject & { status?: { phase?: string; message?: string } };

interface Named {
  readonly namespace: string;
  readonly name: string;
}

/** By which way workflows are followed. */
export interface FollowSource {
  get(named: Named): Promise<FollowedWorkflow>;
  /** Its changes since a version; servers end it now and then. */
  watch(named: Named, resourceVersion: string): AsyncIterable<FollowedEvent>;
  /** Prints what its pods write, until it has ended. */
  logs(named: Named): Promise<void>;
}

interface FollowedEvent {
  readonly type: string;
  readonly object: FollowedWorkflow;
}

interface LogLine {
  readonly podName: string;
  readonly content: string;
}

/** Straight from the cluster. */
export function ofCluster(client: Client, surroundings: Surroundings): FollowSource {
  const { signal } = surroundings;
  return {
    get: (named) => client.get<FollowedWorkflow>({ ...ref, ...named }, { signal }),
    watch: ({ namespace, name }, resourceVersion) =>
      client.watch<FollowedWorkflow>(
        { ...ref, namespace },
        { resourceVersion, fieldSelector: `metadata.name=${name}`, signal },
      ),
    logs: (named) => printLogs(surroundings, client, named, { follow: true }),
  };
}

/** Through the API of workflows, for those who reach the server alone. */
export function ofServer(server: ApiSession, { output, signal }: Surroundings): FollowSource {
  const pathTo = ({ namespace, name }: Named) => `/api/v1/workflows/${pathOf(namespace, name)}`;
  return {
    get: (named) => server.request<FollowedWorkflow>('GET', pathTo(named), { signal }),
    watch: ({ namespace, name }, resourceVersion) =>
      server.stream<FollowedEvent>(`/api/v1/workflow-events/${pathOf(namespace)}`, {
        query: {
          'listOptions.fieldSelector': `metadata.name=${name}`,
          'listOptions.resourceVersion': resourceVersion,
        },
        signal,
      }),
    async logs(named) {
      const query = { 'logOptions.container': 'main', 'logOptions.follow': 'true' };
      for await (const { podName, content } of server.stream<LogLine>(`${pathTo(named)}/log`, { query, signal }))
        output.out(`${podName}: ${content}`);
    },
  };
}

/** A workflow as it is and whenever it changes, until it has ended or is deleted. */
async function* changesOf(source: FollowSource, named: Named): AsyncGenerator<FollowedWorkflow> {
  for (;;) {
    const now = await source.get(named);
    yield now;
    if (hasEnded(now)) return;
    try {
      for await (const { type, object } of source.watch(named, now.metadata.resourceVersion ?? '')) {
        if (type === 'DELETED') return;
        if (type === 'BOOKMARK' || object.metadata.name !== named.name) continue;
        yield object;
        if (hasEnded(object)) return;
      }
    } catch (error) {
      if (!isExpired(error)) throw error;
    }
  }
}

/** Waits for the end of a workflow; gives its last state. */
export async function ended(source: FollowSource, named: Named): Promise<FollowedWorkflow | undefined> {
  let last: FollowedWorkflow | undefined;
  for await (const workflow of changesOf(source, named)) last = workflow;
  return last;
}

/** Prints a workflow as it goes on: all of it anew on a terminal, else what is new. Gives its last state. */
export async function watched(
  { output }: Surroundings,
  source: FollowSource,
  named: Named,
  shown: DescribeOptions = {},
): Promise<FollowedWorkflow | undefined> {
  const { describeWorkflow } = await import('@tiphys/workflows');
  const told = new Set<string>();
  let last: FollowedWorkflow | undefined;
  for await (const workflow of changesOf(source, named)) {
    last = workflow;
    const lines = describeWorkflow(workflow as never, shown).split('\n');
    if (output.colours) {
      output.clear?.();
      output.out(lines.join('\n'));
    } else for (const line of lines) if (line !== '' && !told.has(line)) output.out(line);
    for (const line of lines) told.add(line);
  }
  return last;
}

/** Ends the command with code 1 where a workflow did not succeed. */
export function demandSuccess(workflows: readonly (FollowedWorkflow | undefined)[]): void {
  if (workflows.some((workflow) => workflow?.status?.phase !== 'Succeeded')) throw new Exit(1);
}

function hasEnded({ metadata, status }: FollowedWorkflow): boolean {
  return metadata.labels?.[completed] === 'true' && Boolean(status?.phase);
}

/** How a command goes on once workflows run. */
export interface Followed {
  readonly wait?: boolean;
  readonly watch?: boolean;
  readonly log?: boolean;
  readonly status?: string;
  readonly nodeFieldSelector?: string;
}

/** Adds the flags of `Followed` that each command has. */
export function addFollowed(command: Command): Command {
  return command
    .option('-w, --wait', 'Wait for the end; fails if a workflow does not succeed')
    .option('--watch', 'Show it until its end')
    .option('--log', 'Print what its pods write until its end');
}

/** Shows workflows until their end, as flags say; ends the command with code 1 then where one did not succeed. */
export async function followAll(
  workflows: readonly KubeObject[],
  { wait, watch, log, ...shown }: Followed,
  { source, surroundings }: { source: FollowSource; surroundings: Surroundings },
): Promise<void> {
  if (!wait && !watch && !log) return;
  const named = workflows.map(({ metadata: { name = '', namespace = '' } }) => ({ name, namespace }));
  if (log) for (const one of named) await source.logs(one);
  const last: (FollowedWorkflow | undefined)[] = [];
  if (watch) for (const one of named) last.push(await watched(surroundings, source, one, shown));
  else last.push(...(await Promise.all(named.map((one) => ended(source, one)))));
  if (!watch) for (const [index, workflow] of last.entries()) surroundings.output.out(endOf(workflow, named[index]));
  demandSuccess(last);
}

/** One line of how a workflow ended. */
export function endOf(workflow: FollowedWorkflow | undefined, named: Named | undefined): string {
  const { phase = '', message } = workflow?.status ?? { phase: 'was deleted' };
  return `${named?.namespace}/${named?.name} ${phase}${message ? `: ${message}` : ''}`;
}
