import { type Preview, patchOf, summary, title } from '@tiphys/preview';
import { type Command, Option } from 'commander';
import { parseApplicationName } from '../client/application-api.ts';
import { Exit, type Surroundings, sessionOf } from '../terminal/command-context.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type Output, paint, structured } from '../terminal/output.ts';

interface Flags {
  readonly to: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly pullRequest?: boolean;
  readonly host?: string;
  readonly output: 'wide' | 'json' | 'yaml';
}

interface Version {
  readonly name: string;
  readonly from: readonly string[];
  readonly to: string;
  readonly left?: string;
}

/** As the API answers. */
interface Promotion {
  readonly mode: 'files' | 'images';
  readonly images: readonly Version[];
  /** Of charts and remote bases. */
  readonly versions: readonly Version[];
  readonly files: readonly { path: string; action: string }[];
  readonly repoURL: string;
  readonly branch: string;
  readonly digest: string;
  readonly preview: Preview;
  readonly hidden: number;
  readonly commit?: string;
  readonly head?: string;
  readonly pullRequest?: string;
  readonly problem?: string;
}

/** `tiphys promote`: what one application delivers, committed to the sources of another after it was shown. */
export function addPromoteCommand(program: Command, surroundings: Surroundings): void {
  program
    .command('promote <name>')
    .description(
      'Commit to the sources of another application what this one delivers, once it was shown what that changes',
    )
    .requiredOption('--to <name>', 'The application that is to deliver the same: [NAMESPACE/]NAME')
    .option('--dry-run', 'Show it, and commit nothing')
    .option('--yes', 'Commit what is shown')
    .option('--pull-request', 'Push a new branch and open a pull request, in place of a commit to the branch')
    .addOption(
      new Option('--host <kind>', 'What runs at the address of the repository, for a pull request').choices([
        'github',
        'gitlab',
        'gitea',
        'bitbucket',
        'bitbucketserver',
        'azuredevops',
      ]),
    )
    .addOption(new Option('-o, --output <format>', 'Output format').choices(['wide', 'json', 'yaml']).default('wide'))
    .action((name: string, flags: Flags, own: Command) => promote(name, flags, { own, surroundings }));
}

async function promote(
  text: string,
  flags: Flags,
  { own, surroundings }: { own: Command; surroundings: Surroundings },
): Promise<void> {
  const { output } = surroundings;
  const { name, appNamespace } = parseApplicationName(text);
  const session = sessionOf(own, surroundings);
  const ask = (body: object) =>
    session.request<Promotion>('POST', `/api/tiphys/v1/applications/${encodeURIComponent(name)}/promote`, {
      query: { appNamespace },
      body: { to: flags.to, ...body },
    });
  const shown = await ask({});
  const { output: format } = flags;
  if (format === 'wide') print(output, shown);
  if (shown.files.length === 0 || flags.dryRun || !flags.yes) {
    if (format !== 'wide') output.out(structured(format, shown));
    else if (shown.files.length === 0) output.out('Nothing to promote');
    else if (!flags.dryRun) {
      output.error('Nothing was committed: --yes commits this, --yes --pull-request proposes it');
      throw new Exit(exitCodes.usage);
    }
    return;
  }
  const { pullRequest = false, host } = flags;
  const done = await ask({ digest: shown.digest, pullRequest, ...(host ? { host } : {}) });
  if (format !== 'wide') return output.out(structured(format, done));
  output.out(
    done.commit
      ? `Commit ${done.commit.slice(0, 12)} pushed to ${done.head ?? done.branch}`
      : `The branch ${done.head} has this change already`,
  );
  if (done.pullRequest) output.out(`Pull request ${done.pullRequest}`);
  if (done.problem) output.error(done.problem);
}

function print(output: Output, { images, versions, files, repoURL, branch, preview, hidden }: Promotion): void {
  for (const { name, from, to, left } of [...versions, ...images])
    output.out(`${name}: ${from.join(', ')} → ${to}${left ? paint(output, 'yellow', `, left: ${left}`) : ''}`);
  for (const { path, action } of files) output.out(`${action} ${path}`);
  for (const { namespace, name, objects, problem } of preview.items) {
    output.out(paint(output, 'bold', `\n${namespace}/${name}`));
    if (problem) output.out(paint(output, 'red', problem.message));
    for (const object of objects) {
      output.out(paint(output, 'bold', `===== ${title(object)} ======`));
      for (const line of patchOf(object)) output.out(line);
    }
  }
  if (files.length === 0) return;
  const more = hidden > 0 ? `, ${hidden} of which you may not see` : '';
  output.out(`\n${summary(preview)}${more}, by a commit to ${branch} of ${repoURL}`);
}
