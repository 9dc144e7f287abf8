import type { AppProject } from '@tiphys/api';
import { type Command, Option } from 'commander';
import { Exit, type Surroundings } from '../../terminal/command-context.ts';
import { asking } from '../../terminal/confirm.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { collectList } from '../../terminal/flag-values.ts';
import { table } from '../../terminal/output.ts';
import { changeProject, readProject } from './change-project.ts';

type Policy = NonNullable<AppProject['spec']['sourceIntegrity']>['git']['policies'][number];

interface PolicyFlags {
  readonly repoUrl?: string[];
  readonly addRepoUrl?: string[];
  readonly deleteRepoUrl?: string[];
  readonly gpgKey?: string[];
  readonly addGpgKey?: string[];
  readonly deleteGpgKey?: string[];
  readonly gpgMode?: string;
}

/** `tiphys proj source-integrity git policies …`: the verbs of `argocd`. A policy is named by its number in `list`. */
export function addProjectIntegrityCommands(parent: Command, surroundings: Surroundings): void {
  const { output } = surroundings;
  const command = parent
    .command('source-integrity')
    .description('How the sources of a project are verified')
    .command('git')
    .description('Signatures of commits')
    .command('policies')
    .description('Which keys sign the commits of which repositories');
  const mode = () => new Option('--gpg-mode <mode>', 'How much is verified').choices(['strict', 'head', 'none']);
  const unknown = (project: string, id: string): never => {
    output.error(`policy with id '${id}' not found: see tiphys proj source-integrity git policies list ${project}`);
    throw new Exit(exitCodes.generic);
  };
  const indexOf = (policies: readonly Policy[], project: string, id: string): number => {
    const at = /^\d+$/.test(id) ? Number(id) : -1;
    return policies[at] ? at : unknown(project, id);
  };

  command
    .command('list <project>')
    .description('List the policies of a project')
    .action(async (project: string, _flags: object, own: Command) => {
      const policies = (await readProject(own, surroundings, project)).spec.sourceIntegrity?.git?.policies ?? [];
      const rows = policies.map(({ repos, gpg }, id) => [
        String(id),
        (repos ?? []).map(({ url }) => url).join(', '),
        gpg?.mode ?? '',
        (gpg?.keys ?? []).join(', '),
      ]);
      output.out(table([['ID', 'REPO-URLS', 'GPG-MODE', 'GPG-KEYS'], ...rows]));
    });

  command
    .command('add <project>')
    .description('Add a policy to a project')
    .option('--repo-url <pattern>', 'Repositories, as a pattern of their URLs (repeatable)', collectList)
    .option('--gpg-key <id>', 'Key that may sign (repeatable)', collectList)
    .addOption(mode())
    .action((project: string, flags: PolicyFlags, own: Command) =>
      changeProject(own, surroundings, {
        name: project,
        edit: (spec) => {
          const policy = changed({ repos: [], gpg: { mode: 'strict', keys: [] } }, flags);
          spec.sourceIntegrity = { git: { policies: [...(spec.sourceIntegrity?.git?.policies ?? []), policy] } };
          return undefined;
        },
      }).then(() => undefined),
    );

  command
    .command('update <project> <id>')
    .description('Change a policy')
    .option('--repo-url <pattern>', 'These repositories alone (repeatable)', collectList)
    .option('--add-repo-url <pattern>', 'These repositories too (repeatable)', collectList)
    .option('--delete-repo-url <pattern>', 'These repositories no longer (repeatable)', collectList)
    .option('--gpg-key <id>', 'These keys alone (repeatable)', collectList)
    .option('--add-gpg-key <id>', 'These keys too (repeatable)', collectList)
    .option('--delete-gpg-key <id>', 'These keys no longer (repeatable)', collectList)
    .addOption(mode())
    .option('-y, --yes', 'Do not ask')
    .hook('preAction', asking(surroundings))
    .action((project: string, id: string, flags: PolicyFlags, own: Command) =>
      changeProject(own, surroundings, {
        name: project,
        edit: (spec) => {
          const policies = spec.sourceIntegrity?.git?.policies ?? [];
          const at = indexOf(policies, project, id);
          spec.sourceIntegrity = { git: { policies: policies.with(at, changed(policies[at] as Policy, flags)) } };
          return undefined;
        },
      }).then(() => undefined),
    );

  command
    .command('delete <project> <id...>')
    .description('Delete policies')
    .option('-y, --yes', 'Do not ask')
    .hook('preAction', asking(surroundings))
    .action((project: string, ids: string[], _flags: object, own: Command) =>
      changeProject(own, surroundings, {
        name: project,
        edit: (spec) => {
          const policies = spec.sourceIntegrity?.git?.policies ?? [];
          const gone = new Set(ids.map((id) => indexOf(policies, project, id)));
          const left = policies.filter((_, at) => !gone.has(at));
          if (left.length > 0) spec.sourceIntegrity = { git: { policies: left } };
          else delete spec.sourceIntegrity;
          return undefined;
        },
      }).then(() => undefined),
    );
}

function changed({ repos, gpg }: Policy, flags: PolicyFlags): Policy {
  const urls = listed(
    (repos ?? []).map(({ url }) => url),
    { only: flags.repoUrl, more: flags.addRepoUrl, less: flags.deleteRepoUrl },
  );
  const keys = listed(gpg?.keys ?? [], { only: flags.gpgKey, more: flags.addGpgKey, less: flags.deleteGpgKey });
  return { repos: urls.map((url) => ({ url })), gpg: { mode: flags.gpgMode ?? gpg?.mode ?? 'strict', keys } };
}

function listed(
  before: readonly string[],
  {
    only,
    more = [],
    less = [],
  }: { only: string[] | undefined; more: string[] | undefined; less: string[] | undefined },
): string[] {
  return [...new Set([...(only ?? before), ...more])].filter((item) => !less.includes(item));
}
