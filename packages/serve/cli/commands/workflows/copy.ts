import { createWriteStream, mkdirSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import type { Surroundings } from '../../terminal/command-context.ts';
import { flowServer, pathOf } from './flow-server.ts';

interface Copy {
  readonly namespace: string;
  readonly nodeId?: string;
  readonly templateName?: string;
  readonly artifactName?: string;
  readonly path: string;
}

interface Artifact {
  readonly name: string;
  readonly [driver: string]: unknown;
}

interface Flow {
  readonly status?: {
    readonly nodes?: Readonly<
      Record<
        string,
        { readonly id: string; readonly templateName?: string; readonly outputs?: { readonly artifacts?: Artifact[] } }
      >
    >;
  };
}

/** `tiphys workflows cp`: output artifacts into a folder, through the server, which reaches their store. */
export function addCopy(workflows: Command, surroundings: Surroundings): void {
  const { output, signal, workdir } = surroundings;
  workflows
    .command('cp <name> <folder>')
    .description('Copy the output artifacts of a workflow into a folder, through the server (tiphys login)')
    .option('-n, --namespace <name>', 'Namespace', 'default')
    .option('--node-id <id>', 'Only those of this node')
    .option('--template-name <name>', 'Only those of this template')
    .option('--artifact-name <name>', 'Only those with this name')
    .option(
      '--path <path>',
      'Where in the folder; {namespace}, {workflowName}, {nodeId}, {templateName} and {artifactName} are put in',
      '{namespace}/{workflowName}/{nodeId}/outputs/{artifactName}',
    )
    .action(async (name: string, folder: string, options: Copy, command: Command) => {
      const server = flowServer(command, surroundings);
      const { namespace } = options;
      const workflow = await server.request<Flow>('GET', `/api/v1/workflows/${pathOf(namespace, name)}`, { signal });
      let count = 0;
      for (const { id, templateName = '', artifact } of wanted(workflow, options)) {
        const values: Readonly<Record<string, string>> = {
          namespace,
          workflowName: name,
          nodeId: id,
          templateName,
          artifactName: artifact.name,
        };
        const place = join(
          folder,
          options.path.replace(/\{(\w+)\}/g, (all, key: string) => values[key] ?? all),
        );
        const to = resolve(workdir, place);
        mkdirSync(to, { recursive: true });
        const file = join(to, nameOf(artifact));
        const bytes = await server.download(`/artifacts/${pathOf(namespace, name, id, artifact.name)}`, { signal });
        await pipeline(Readable.fromWeb(bytes as never), createWriteStream(file), { signal });
        output.out(relative(workdir, file) || file);
        count += 1;
      }
      if (count > 0) return;
      const { VerbError } = await import('@tiphys/workflows');
      throw new VerbError(`${namespace}/${name} has no such output artifact`);
    });
}

function* wanted({ status }: Flow, { nodeId, templateName, artifactName }: Copy) {
  for (const { id, templateName: template, outputs } of Object.values(status?.nodes ?? {})) {
    if ((nodeId && id !== nodeId) || (templateName && template !== templateName)) continue;
    for (const artifact of outputs?.artifacts ?? [])
      if (!artifactName || artifact.name === artifactName) yield { id, templateName: template, artifact };
  }
}

/** What the last part of its key is called, and nothing that leads out of the folder. */
function nameOf(artifact: Artifact): string {
  for (const place of Object.values(artifact)) {
    const key = (place as { key?: unknown; url?: unknown } | null)?.key ?? (place as { url?: unknown } | null)?.url;
    if (typeof key !== 'string') continue;
    const name = basename(key);
    if (name && name !== '.' && name !== '..') return name;
  }
  return basename(artifact.name) || 'artifact';
}
