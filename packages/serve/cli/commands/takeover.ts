import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { type Client, pause, systemClock } from '@tiphys/kubernetes';
import { type Command, InvalidArgumentError } from 'commander';
import type { TakeoverCheck } from '../takeover/check.ts';
import type { OldInstallation } from '../takeover/installation.ts';
import { Exit, type Surroundings } from '../terminal/command-context.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type Output, paint } from '../terminal/output.ts';
import { onCluster } from './common/on-cluster.ts';

const nothingToTakeOver = defineDiagnosis('NothingToTakeOver', 'There is no installation of Argo CD in the namespace');
const nothingTakenOver = defineDiagnosis(
  'NothingTakenOver',
  'No installation of Argo CD was taken over in the namespace',
);
const takeoverDiffers = defineDiagnosis(
  'TakeoverDiffers',
  'Tiphys judges applications in another way than Argo CD did',
);

interface Options {
  readonly namespace: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly dryRun?: boolean;
  readonly undo?: boolean;
  readonly force?: boolean;
  readonly timeout: number;
  readonly localRepositories: readonly string[];
}

/** How often what was restored is written again: admission and rights may be late. */
const attempts = 20;

/** `tiphys takeover`: from a running Argo CD to Tiphys in its place, and back. */
export function addTakeoverCommand(program: Command, surroundings: Surroundings): void {
  program
    .command('takeover')
    .description('Take a running Argo CD over: judge its applications, stop its processes; or back with --undo')
    .option('--dry-run', 'Judge the applications and print what would be done; nothing is written')
    .option('--undo', 'Bring the processes, rights and services of Argo CD back as they were')
    .option('--force', 'Stop Argo CD although applications are judged in another way')
    .option('-n, --namespace <name>', 'Namespace of Argo CD', 'argocd')
    .option('--kubeconfig <file>', 'Kubeconfig of the cluster')
    .option('--context <name>', 'Context of the kubeconfig')
    .option('--timeout <minutes>', 'How long applications may take to be judged', minutes, 15)
    .option(
      '--local-repositories <dir>',
      'Let applications name repositories of this machine below this folder; may be repeated',
      (dir: string, others: readonly string[]) => [...others, dir],
      [],
    )
    .action((options: Options) => takeover(options, surroundings));
}

function minutes(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > 1440)
    throw new InvalidArgumentError('Wanted a number of minutes from 1 to 1440.');
  return number;
}

async function takeover(options: Options, surroundings: Surroundings): Promise<void> {
  const { namespace, kubeconfig, context } = options;
  const where = {
    namespace,
    ...(kubeconfig ? { kubeconfig } : {}),
    ...(context ? { context } : {}),
    purpose: options.undo ? 'take-over, undone' : 'take-over',
  };
  await onCluster(surroundings, where, ({ client }) =>
    options.undo ? undo(client, options, surroundings) : begin(client, options, surroundings),
  );
}

async function begin(client: Client, options: Options, { output, signal }: Surroundings): Promise<void> {
  const { namespace, timeout, localRepositories } = options;
  const [{ findArgoCd }, { checkApplications }, { recordInstallation }] = await Promise.all([
    import('../takeover/installation.ts'),
    import('../takeover/check.ts'),
    import('../takeover/record.ts'),
  ]);
  const found = await findArgoCd(client, namespace);
  if (!found)
    throw failure(nothingToTakeOver, {
      message: `No process of Argo CD is in namespace ${namespace}`,
      remedies: ['Name its namespace with -n', 'If it is stopped already, start Tiphys'],
    });
  describe(found, output);
  const check = await checkApplications({
    client,
    namespace,
    clock: systemClock,
    signal,
    timeout: timeout * 60_000,
    localRepositories,
  });
  tell(check, output);
  if (options.dryRun) {
    output.out('Nothing was changed');
    if (check.differences.length > 0) throw new Exit(exitCodes.differences);
    return;
  }
  if (check.differences.length > 0 && !options.force)
    throw failure(takeoverDiffers, {
      message: `${check.differences.length} applications are judged in another way; Argo CD goes on`,
      remedies: ['See docs/limits.md and the differences above', 'Or take it over nevertheless, with --force'],
    });
  await recordInstallation(client, namespace, found);
  for (const { apiVersion, kind, name, replicas } of found.processes) {
    if (replicas === 0) continue;
    await client.patch(
      { apiVersion, kind, namespace, name },
      'merge',
      { spec: { replicas: 0 } },
      { fieldManager: 'tiphys' },
    );
    output.out(`${kind} ${name}: ${replicas} → 0 replicas`);
  }
  await ended(client, namespace, found, signal);
  output.out(
    `${paint(output, 'green', 'Argo CD is stopped.')} Applications, projects, settings and credentials are in their place. Next:`,
  );
  output.out(
    `  kubectl apply --server-side --force-conflicts -n ${namespace} -k deploy/base     # or: helm install tiphys deploy/chart/tiphys -n ${namespace}`,
  );
  output.out(`  tiphys takeover --undo -n ${namespace}                                # the way back`);
}

function describe({ by, processes }: OldInstallation, output: Output): void {
  output.out(`Argo CD, installed by ${by}:`);
  for (const { kind, name, replicas, image } of processes)
    output.out(`  ${kind} ${name} (${image}): ${replicas} → 0 replicas`);
}

function tell({ applications, same, differences, notJudged, problems }: TakeoverCheck, output: Output): void {
  for (const { application, running, candidate } of differences)
    output.out(`  ${paint(output, 'yellow', application)}: ${running} by Argo CD, ${candidate} by Tiphys`);
  for (const key of notJudged)
    output.out(`  ${paint(output, 'grey', key)}: not judged; an operation runs, or it has no status yet`);
  for (const problem of problems) output.error(problem);
  output.out(
    `${applications} applications: ${same} judged as before, ${differences.length} in another way, ${notJudged.length} not judged`,
  );
}

/** Two that deliver the same applications fight: nothing goes on before the last pod is gone. */
async function ended(
  client: Client,
  namespace: string,
  { processes }: OldInstallation,
  signal: AbortSignal,
): Promise<void> {
  for (const { apiVersion, kind, name } of processes)
    for (;;) {
      signal.throwIfAborted();
      const workload = await client.find({ apiVersion, kind, namespace, name });
      const { replicas = 0 } = (workload?.status ?? {}) as { replicas?: number };
      if (replicas === 0) break;
      await pause(systemClock, 500, signal);
    }
}

async function undo(client: Client, { namespace }: Options, { output, signal }: Surroundings): Promise<void> {
  const [{ forgetInstallation, recordedInstallation }, { restoreObjects }, { isOurs }] = await Promise.all([
    import('../takeover/record.ts'),
    import('@tiphys/self-management'),
    import('../takeover/ours.ts'),
  ]);
  const objects = await recordedInstallation(client, namespace);
  if (!objects)
    throw failure(nothingTakenOver, {
      message: `Nothing was taken over in namespace ${namespace}`,
      remedies: ['Name the namespace of Argo CD with -n'],
    });
  const names = new Set(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`));
  for (const kind of ['StatefulSet', 'Deployment']) {
    const apiVersion = 'apps/v1';
    const ref = { apiVersion, kind, namespace };
    for (const workload of (await client.list(ref, { labelSelector: 'app.kubernetes.io/part-of=argocd' })).items) {
      const name = workload.metadata.name ?? '';
      if (names.has(`${kind} ${name}`) || !isOurs({ ...workload, kind })) continue;
      await client.patch({ ...ref, name }, 'merge', { spec: { replicas: 0 } }, { fieldManager: 'tiphys' });
      output.out(`${kind} ${name} of Tiphys: 0 replicas`);
    }
  }
  for (let attempt = 1; !(await restoreObjects(client, objects)); attempt++) {
    if (attempt === attempts)
      throw new Error('What was before could not be written: others write it too, or rights are missing');
    await pause(systemClock, 500, signal);
    signal.throwIfAborted();
  }
  for (const { kind, metadata, spec } of objects)
    if (kind === 'Deployment' || kind === 'StatefulSet')
      output.out(`${kind} ${metadata.name}: ${(spec as { replicas?: number }).replicas ?? 1} replicas`);
  await forgetInstallation(client, namespace);
  output.out(paint(output, 'green', 'Argo CD is as it was'));
}
