import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Client, type KubeObject, pause, systemClock } from '@tiphys/kubernetes';
import { parseDocuments } from '@tiphys/yaml';
import type { Command } from 'commander';
import { Exit, type Surroundings } from '../../terminal/command-context.ts';
import { structured } from '../../terminal/output.ts';
import type { Where } from '../common/kube-flags.ts';
import { onCluster } from '../common/on-cluster.ts';

const apiVersion = 'argoproj.io/v1alpha1';
const completed = 'workflows.argoproj.io/completed';

type Stored = KubeObject & { status?: { phase?: string; message?: string } };

interface Chosen extends Where {
  readonly selector?: string;
  readonly completed?: boolean;
  readonly all?: boolean;
  readonly dryRun?: boolean;
}

/** `tiphys workflows convert`, `delete`, `wait` and `logs`. */
export function addWorkflowVerbs(
  workflows: Command,
  add: (name: string, description: string) => Command,
  surroundings: Surroundings,
): void {
  const { output } = surroundings;
  const run = (where: Where, work: Parameters<typeof onCluster>[2]) =>
    onCluster(surroundings, { ...where, purpose: 'workflows' }, work);

  workflows
    .command('convert <files...>')
    .description('Print objects with the fields of older versions in their present form')
    .option('-o, --output <format>', 'yaml or json', 'yaml')
    .action(async (files: string[], options: { output: string }) => {
      const { converted } = await import('@tiphys/workflows');
      const objects = files.flatMap((file) =>
        parseDocuments(readFileSync(resolve(surroundings.workdir, file), 'utf8'), { file }).documents.map(({ value }) =>
          converted(value),
        ),
      );
      const format = options.output === 'json' ? 'json' : 'yaml';
      for (const [index, object] of objects.entries()) {
        if (index > 0 && format === 'yaml') output.out('---');
        output.out(structured(format, object).trimEnd());
      }
    });

  add('delete [names...]', 'Delete workflows')
    .option('-l, --selector <selector>', 'Those with these labels')
    .option('--completed', 'Those that have ended')
    .option('--all', 'All of the namespace')
    .option('--dry-run', 'Only say which')
    .action((names: string[], options: Chosen) =>
      run(options, async ({ client, namespace }) => {
        for (const name of await chosen(client, namespace, names, options)) {
          if (!options.dryRun)
            await client.delete({ apiVersion, kind: 'Workflow', namespace, name }, { propagationPolicy: 'Background' });
          output.out(`${namespace}/${name} deleted${options.dryRun ? ' (dry run)' : ''}`);
        }
      }),
    );

  add('wait <names...>', 'Wait until workflows have ended; fails if one did not succeed').action(
    (names: string[], options: Where) =>
      run(options, async ({ client, namespace }) => {
        const phases = await Promise.all(names.map((name) => ended(client, namespace, name)));
        for (const [index, { phase, message }] of phases.entries())
          output.out(`${namespace}/${names[index]} ${phase}${message ? `: ${message}` : ''}`);
        if (phases.some(({ phase }) => phase !== 'Succeeded')) throw new Exit(1);
      }),
  );

  add('logs <name>', 'Print what the pods of a workflow write, in the order of the times')
    .option('-f, --follow', 'Go on until the workflow has ended')
    .option('-c, --container <name>', 'Container', 'main')
    .option('--grep <expression>', 'Only lines that fit')
    .option('--tail <lines>', 'Only the last lines of each pod')
    .action((name: string, options: Where & { follow?: boolean; container: string; grep?: string; tail?: string }) =>
      run(options, async ({ client, namespace }) => {
        const { workflowLogs } = await import('@tiphys/workflow-server');
        const { follow = false, container, grep, tail } = options;
        const logOptions = { follow, container, ...(tail === undefined ? {} : { tailLines: Number(tail) }) };
        const request = { namespace, name, logOptions, ...(grep ? { grep } : {}) };
        const workflow = await client.get<Stored>({ apiVersion, kind: 'Workflow', namespace, name });
        const scene = { client, signal: surroundings.signal, clock: systemClock, workflow: workflow as never };
        for await (const { podName, content } of workflowLogs(scene, request)) output.out(`${podName}: ${content}`);
      }),
    );
}

async function chosen(client: Client, namespace: string, names: readonly string[], options: Chosen): Promise<string[]> {
  const { selector, completed: isCompleted, all } = options;
  if (!selector && !isCompleted && !all) {
    const { VerbError } = await import('@tiphys/workflows');
    if (names.length > 0) return [...names];
    throw new VerbError('Name workflows, or choose them with --selector, --completed or --all');
  }
  const labels = [...(selector ? [selector] : []), ...(isCompleted ? [`${completed}=true`] : [])].join(',');
  const { items } = await client.list(
    { apiVersion, kind: 'Workflow', namespace },
    labels ? { labelSelector: labels } : {},
  );
  return [...names, ...items.map(({ metadata }) => metadata.name ?? '')];
}

async function ended(client: Client, namespace: string, name: string): Promise<{ phase: string; message: string }> {
  for (;;) {
    const { metadata, status } = await client.get<Stored>({ apiVersion, kind: 'Workflow', namespace, name });
    if (metadata.labels?.[completed] === 'true') return { phase: status?.phase ?? '', message: status?.message ?? '' };
    await pause(systemClock, 500);
  }
}
