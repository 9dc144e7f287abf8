import type { KubeObject } from '@tiphys/kubernetes';
import type { Command } from 'commander';
import type { Surroundings } from '../../terminal/command-context.ts';
import { documentsOf } from './documents-of.ts';
import { fail, type VerbCommands } from './verb-command.ts';

/** `lint`: what is wrong with the Rollouts of a file, and with what they refer to in it, without a cluster. */
export function addLintVerb(rollouts: Command, verbs: VerbCommands, surroundings: Surroundings): void {
  rollouts
    .command('lint')
    .description('Tell what is wrong with the Rollouts of a file, without a cluster')
    .requiredOption('-f, --filename <file>', 'File to look at, or - for standard input')
    .action(({ filename }: { filename: string }) => verbs.report(() => lint(filename, surroundings)));
}

async function lint(file: string, surroundings: Surroundings): Promise<void> {
  const { lintRollouts } = await import('@tiphys/rollouts');
  const { output, workdir } = surroundings;
  const objects = documentsOf(workdir, file)
    .map(({ value }): unknown => value)
    .filter((value): value is KubeObject => typeof value === 'object' && value !== null);
  const { unknown, problems } = lintRollouts(objects);
  if (unknown) {
    output.error(`unknown field: ${unknown.path}`);
    fail(
      { output },
      `error unmarshaling JSON: while decoding JSON: json: unknown field ${JSON.stringify(unknown.name)}`,
    );
  }
  for (const { body } of problems) output.out(body);
  const [first] = problems;
  if (first) fail({ output }, first.message);
}
