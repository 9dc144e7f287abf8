import { heading, markdown, type Preview, patchOf, remark, summary, title } from '@tiphys/preview';
import type { Command } from 'commander';
import { Exit, type Surroundings, sessionOf } from '../terminal/command-context.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type Output, paint, structured } from '../terminal/output.ts';
import { outputFlag } from './common/output-flag.ts';

interface Flags {
  readonly repo?: string;
  readonly base: string;
  readonly head?: string;
  readonly app?: string;
  readonly output: string;
  readonly exitCode: boolean;
  readonly sandbox: boolean;
  readonly clone: string;
  readonly from: string[];
  readonly settings: string[];
}

/** `tiphys preview`: what a merge would change of the manifests of every application that it concerns. */
export function addPreviewCommand(program: Command, surroundings: Surroundings): void {
  program
    .command('preview')
    .description('What merging a revision into another would change of the manifests of each application')
    .option('--repo <url>', 'The repository; with --sandbox where no remote of the clone has its URL')
    .requiredOption('--base <revision>', 'The branch that is merged into; a commit stands for all applications')
    .option('--head <revision>', 'The branch or commit that is to be merged; HEAD with --sandbox')
    .option('--app <name>', 'Of one application: [NAMESPACE/]NAME')
    .addOption(outputFlag(['wide', 'markdown', 'json', 'yaml']))
    .option('--exit-code', 'Exit with 1 where something would change', false)
    .option(
      '--sandbox',
      'Without server and cluster: of the applications that a clone of the repository declares',
      false,
    )
    .option('--clone <folder>', 'With --sandbox: the clone', '.')
    .option(
      '--from <path...>',
      'With --sandbox: files and folders of the repository that declare applications; all',
      [],
    )
    .option(
      '--settings <file...>',
      'With --sandbox: manifests of settings, repositories and projects from elsewhere',
      [],
    )
    .action(async (flags: Flags, own: Command) => {
      const preview = flags.sandbox ? await inSandbox(flags, surroundings) : await ofServer(flags, own, surroundings);
      const { output } = surroundings;
      const { output: format, exitCode } = flags;
      if (format === 'json' || format === 'yaml') output.out(structured(format, preview));
      else if (format === 'markdown') output.out(markdown(preview));
      else print(output, preview);
      if (preview.items.some(({ problem, before }) => problem && !before)) throw new Exit(exitCodes.notRendered);
      if (exitCode && preview.items.some(({ problem }) => !problem)) throw new Exit(exitCodes.differences);
    });
}

async function inSandbox(flags: Flags, surroundings: Surroundings): Promise<Preview> {
  // most of the program, which a question to a server does not need
  const { sandboxPreview } = await import('../preview/sandbox-preview.ts');
  return sandboxPreview({ ...flags, head: flags.head ?? 'HEAD' }, surroundings);
}

function ofServer({ repo, base, head, app }: Flags, own: Command, surroundings: Surroundings): Promise<Preview> {
  const missing = repo ? (head ? undefined : '--head <revision>') : '--repo <url>';
  if (missing) own.error(`error: required option '${missing}' not specified (or --sandbox)`);
  const query = { repo, base, head, application: app };
  return sessionOf(own, surroundings).request<Preview>('GET', '/api/tiphys/v1/preview', { query });
}

function print(output: Output, preview: Preview): void {
  for (const item of preview.items) {
    output.out(paint(output, 'bold', `\n${heading(item)}`));
    const said = remark(item);
    if (said) output.out(paint(output, item.problem ? 'red' : 'yellow', said));
    for (const object of item.objects) {
      output.out(paint(output, 'bold', `===== ${title(object)} ======`));
      for (const line of patchOf(object)) output.out(colourLine(output, line));
    }
  }
  for (const note of preview.notes ?? []) output.out(paint(output, 'yellow', `note: ${note}`));
  output.out(`${preview.items.length > 0 ? '\n' : ''}${summary(preview)}`);
}

function colourLine(output: Output, line: string): string {
  if (line.startsWith('+')) return paint(output, 'green', line);
  if (line.startsWith('-')) return paint(output, 'red', line);
  return line.startsWith('@@') ? paint(output, 'cyan', line) : line;
}
