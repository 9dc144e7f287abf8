import { isNotFound } from '@tiphys/kubernetes';
import { parseDocuments } from '@tiphys/yaml';
import type { Command } from 'commander';
import type { Surroundings } from '../../terminal/command-context.ts';
import { structured } from '../../terminal/output.ts';
import type { Where } from '../common/kube-flags.ts';
import { onCluster } from '../common/on-cluster.ts';
import { outputFlag } from '../common/output-flag.ts';
import { addChoice, type Choice, choosesSome, chosenWorkflows, nameOf } from './chosen.ts';
import { textsOf } from './files.ts';
import { demandSuccess, ended, endOf, ofCluster, watched } from './follow.ts';

const apiVersion = 'argoproj.io/v1alpha1';

/** `tiphys workflows convert`, `delete`, `wait` and `watch`. */
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
    .addOption(outputFlag(['yaml', 'json']))
    .action(async (files: string[], options: { output: string }) => {
      const { converted } = await import('@tiphys/workflows');
      const objects = textsOf(surroundings, files).flatMap(({ file, text }) =>
        parseDocuments(text, { file }).documents.map(({ value }) => converted(value)),
      );
      const format = options.output === 'json' ? 'json' : 'yaml';
      for (const [index, object] of objects.entries()) {
        if (index > 0 && format === 'yaml') output.out('---');
        output.out(structured(format, object).trimEnd());
      }
    });

  addChoice(add('delete [names...]', 'Delete workflows'))
    .option('--all', 'All of the namespace')
    .option('-A, --all-namespaces', 'Of all namespaces')
    .option('--force', 'Take their finalizers off: artifacts that were to be removed with them stay')
    .option('--dry-run', 'Only say which')
    .option('--query-chunk-size <number>', 'Has no effect: lists are read in chunks anyway')
    .action((names: string[], options: Where & Choice & { dryRun?: boolean; force?: boolean }) =>
      run(options, async ({ client, namespace }) => {
        const own = await Promise.all(
          names.map(async (name) => ({ name: await nameOf(client, namespace, name), namespace })),
        );
        const chosen = choosesSome(options) ? await chosenWorkflows(client, namespace, options) : [];
        const found = chosen.map(({ metadata }) => ({
          name: metadata.name ?? '',
          namespace: metadata.namespace ?? '',
        }));
        if (own.length === 0 && !choosesSome(options)) {
          const { VerbError } = await import('@tiphys/workflows');
          throw new VerbError('Name workflows, or choose them with --selector, --completed or --all');
        }
        for (const named of [...own, ...found]) {
          const ref = { apiVersion, kind: 'Workflow', ...named };
          if (options.force && !options.dryRun) await client.patch(ref, 'merge', { metadata: { finalizers: null } });
          if (!options.dryRun) await client.delete(ref, { propagationPolicy: 'Background' });
          output.out(`${named.namespace}/${named.name} deleted${options.dryRun ? ' (dry run)' : ''}`);
        }
      }),
    );

  add('wait [names...]', 'Wait until workflows have ended; fails if one did not succeed')
    .option('--ignore-not-found', 'One that is not there does not count')
    .action((names: string[], options: Where & { ignoreNotFound?: boolean }) =>
      run(options, async ({ client, namespace }) => {
        const waited = await Promise.all(
          names.map(async (given) => {
            try {
              const name = await nameOf(client, namespace, given);
              return { name, last: await ended(ofCluster(client, surroundings), { namespace, name }) };
            } catch (error) {
              if (options.ignoreNotFound && isNotFound(error)) return undefined;
              throw error;
            }
          }),
        );
        const counted = waited.filter((one) => one !== undefined);
        for (const { name, last } of counted) output.out(endOf(last, { namespace, name }));
        demandSuccess(counted.map(({ last }) => last));
      }),
    );
  add('watch <name>', 'Show a workflow with its nodes until it has ended; fails if it did not succeed')
    .option('--status <phase>', 'Only nodes in this phase, such as Running')
    .option('--node-field-selector <selector>', 'Only these nodes, such as displayName=build')
    .action((given: string, options: Where & { status?: string; nodeFieldSelector?: string }) =>
      run(options, async ({ client, namespace }) => {
        const name = await nameOf(client, namespace, given);
        demandSuccess([await watched(surroundings, ofCluster(client, surroundings), { namespace, name }, options)]);
      }),
    );
}
