import { type Client, type KubeObject, systemClock } from '@tiphys/kubernetes';
import type { Command } from 'commander';
import type { Surroundings } from '../../terminal/command-context.ts';
import type { Where } from '../common/kube-flags.ts';
import { onCluster } from '../common/on-cluster.ts';
import { nameOf } from './chosen.ts';

interface LogFlags {
  readonly follow?: boolean;
  readonly container?: string;
  readonly grep?: string;
  readonly tail?: string;
  readonly since?: string;
  readonly sinceTime?: string;
  readonly selector?: string;
  readonly previous?: boolean;
  readonly timestamps?: boolean;
}

/** `tiphys workflows logs`. */
export function addLogs(add: (name: string, description: string) => Command, surroundings: Surroundings): void {
  add('logs <name> [pod]', 'Print what the pods of a workflow write, in the order of the times')
    .option('-f, --follow', 'Go on until the workflow has ended')
    .option('-c, --container <name>', 'Container', 'main')
    .option('--grep <expression>', 'Only lines that fit')
    .option('--tail <lines>', 'Only the last lines of each pod')
    .option('--since <duration>', 'Only lines that are not older, such as 5m')
    .option('--since-time <time>', 'Only lines after this time, as RFC 3339')
    .option('-l, --selector <selector>', 'Only pods with these labels')
    .option('-p, --previous', 'Of the containers before their last restart')
    .option('--timestamps', 'With the time of each line')
    .action((name: string, podName: string | undefined, options: Where & LogFlags) =>
      onCluster(surroundings, { ...options, purpose: 'workflows' }, async ({ client, namespace }) => {
        const named = { namespace, name: await nameOf(client, namespace, name) };
        await printLogs(surroundings, client, { ...named, ...(podName ? { podName } : {}) }, options);
      }),
    );
}

/** Prints the lines of a workflow's pods. */
export async function printLogs(
  { output, signal }: Surroundings,
  client: Client,
  named: { readonly namespace: string; readonly name: string; readonly podName?: string },
  flags: LogFlags,
): Promise<void> {
  const { goDurationOrSeconds } = await import('@tiphys/go');
  const { workflowLogs } = await import('@tiphys/workflow-server');
  const {
    follow = false,
    container = 'main',
    previous = false,
    timestamps = false,
    grep,
    tail,
    since,
    selector,
  } = flags;
  const age = since === undefined ? undefined : goDurationOrSeconds(since);
  if (since !== undefined && age === undefined) {
    const { VerbError } = await import('@tiphys/workflows');
    throw new VerbError(`--since ${since} is no duration, such as 5m`);
  }
  const logOptions = {
    follow,
    container,
    previous,
    timestamps,
    ...(tail === undefined ? {} : { tailLines: Number(tail) }),
    ...(age === undefined ? {} : { sinceSeconds: Math.ceil(age / 1000) }),
    ...(flags.sinceTime === undefined ? {} : { sinceTime: flags.sinceTime }),
  };
  const request = { ...named, logOptions, ...(grep ? { grep } : {}), ...(selector ? { selector } : {}) };
  const { namespace, name } = named;
  const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', namespace, name };
  const workflow = await client.get<KubeObject>(ref, { signal });
  const scene = { client, signal, clock: systemClock, workflow: workflow as never };
  for await (const { podName, content } of workflowLogs(scene, request)) output.out(`${podName}: ${content}`);
}
