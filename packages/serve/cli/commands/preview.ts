import { type Printable, printYaml } from '@tiphys/yaml';
import type { Command } from 'commander';
import { createTwoFilesPatch } from 'diff';
import { type Surroundings, sessionOf } from '../terminal/command-context.ts';
import { type Output, paint, structured } from '../terminal/output.ts';

interface Flags {
  readonly repo: string;
  readonly base: string;
  readonly head: string;
  readonly app?: string;
  readonly output: string;
}

interface ChangedObject {
  readonly action: string;
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly live?: string;
  readonly base?: Printable;
  readonly head?: Printable;
}

interface Preview {
  readonly applications: number;
  readonly items: readonly {
    readonly namespace: string;
    readonly name: string;
    readonly objects: readonly ChangedObject[];
    readonly problem?: { readonly message: string };
  }[];
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

function markdown(preview: Preview): string {
  const parts = preview.items.map(({ namespace, name, objects, problem }) => {
    const head = `### ${namespace}/${name}`;
    const texts = objects.map((object) => {
      const text = patchOf(object).join('\n');
      const fence = fenceFor(text);
      return `<details><summary>${title(object)}</summary>\n\n${fence}diff\n${text}\n${fence}\n\n</details>`;
    });
    const told = problem ? [`${fenceFor(problem.message)}\n${problem.message}\n${fenceFor(problem.message)}`] : [];
    return [head, ...told, ...texts].join('\n\n');
  });
  return [summary(preview), ...parts].join('\n\n');
}

/** Longer than any in the text: what is rendered cannot get out of it. */
function fenceFor(text: string): string {
  let length = 3;
  for (const [run] of text.matchAll(/`+/g)) length = Math.max(length, run.length + 1);
  return '`'.repeat(length);
}

function summary({ applications, items }: Preview): string {
  const failed = items.filter(({ problem }) => problem).length;
  const changed = items.length - failed;
  const rest = failed > 0 ? `, ${failed} cannot be rendered` : '';
  return `${changed} of ${applications} application${applications === 1 ? '' : 's'} would change${rest}`;
}

function title({ action, group, kind, namespace, name, live }: ChangedObject): string {
  const expected = action === 'create' ? 'Missing' : 'Synced';
  const state = live && live !== expected ? `, ${live} now` : '';
  return `${action} ${group}/${kind} ${namespace}/${name}${state}`;
}

/** Lines of a unified diff without its heading. */
function patchOf({ base, head }: ChangedObject): string[] {
  const patch = createTwoFilesPatch('base', 'head', base ? printYaml(base) : '', head ? printYaml(head) : '', '', '', {
    context: 3,
  });
  return patch.trimEnd().split('\n').slice(4);
}

function colourLine(output: Output, line: string): string {
  if (line.startsWith('+')) return paint(output, 'green', line);
  if (line.startsWith('-')) return paint(output, 'red', line);
  return line.startsWith('@@') ? paint(output, 'cyan', line) : line;
}
