import { markdown, type Preview, patchOf, summary, title } from '@tiphys/preview';
import type { Command } from 'commander';
import { type Surroundings, sessionOf } from '../terminal/command-context.ts';
import { type Output, paint, structured } from '../terminal/output.ts';

interface Flags {
  readonly repo: string;
  readonly base: string;
  readonly head: string;
  readonly app?: string;
  readonly output: string;
}

/** `tiphys preview`: what a merge would change of the manifests of every application that it concerns. */
export function addPreviewCommand(program: Command, surroundings: Surroundings): void {
  program
    .command('preview')
    .description('What merging a revision into another would change of the manifests of each application')
    .requiredOption('--repo <url>', 'The repository')
    .requiredOption('--base <revision>', 'The branch that is merged into; a commit stands for all applications')
    .requiredOption('--head <revision>', 'The branch or commit that is to be merged')
    .option('--app <name>', 'Of one application: [NAMESPACE/]NAME')
    .option('-o, --output <format>', 'wide, markdown (for a comment of a pull request), json or yaml', 'wide')
    .action(async ({ repo, base, head, app, output: format }: Flags, own: Command) => {
      const query = { repo, base, head, application: app };
      const preview = await sessionOf(own, surroundings).request<Preview>('GET', '/api/tiphys/v1/preview', { query });
      const { output } = surroundings;
      if (format === 'json' || format === 'yaml') output.out(structured(format, preview));
      else if (format === 'markdown') output.out(markdown(preview));
      else print(output, preview);
    });
}

function print(output: Output, preview: Preview): void {
  for (const { namespace, name, objects, problem } of preview.items) {
    output.out(paint(output, 'bold', `\n${namespace}/${name}`));
    if (problem) output.out(paint(output, 'red', problem.message));
    for (const object of objects) {
      output.out(paint(output, 'bold', `===== ${title(object)} ======`));
      for (const line of patchOf(object)) output.out(colourLine(output, line));
    }
  }
  output.out(`${preview.items.length > 0 ? '\n' : ''}${summary(preview)}`);
}

function colourLine(output: Output, line: string): string {
  if (line.startsWith('+')) return paint(output, 'green', line);
  if (line.startsWith('-')) return paint(output, 'red', line);
  return line.startsWith('@@') ? paint(output, 'cyan', line) : line;
}
