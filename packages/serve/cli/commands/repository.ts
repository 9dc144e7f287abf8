import { type Command, Option } from 'commander';
import { type Surroundings, sessionOf } from '../terminal/command-context.ts';
import { addCredentialFlags, credentialsOf } from './common/credential-flags.ts';
import { outputFlag } from './common/output-flag.ts';
import { addListVerb, printRecords } from './common/records.ts';

interface Repository {
  readonly repo: string;
  readonly type?: string;
  readonly name?: string;
  readonly project?: string;
  readonly insecure?: boolean;
  readonly enableOCI?: boolean;
  readonly enableLfs?: boolean;
  readonly connectionState?: { readonly status?: string; readonly message?: string };
}

const columns = ['TYPE', 'NAME', 'REPO', 'INSECURE', 'OCI', 'LFS', 'STATUS', 'MESSAGE', 'PROJECT'];
const row = (item: Repository) => [
  item.type || 'git',
  item.name,
  item.repo,
  String(item.insecure ?? false),
  String(item.enableOCI ?? false),
  String(item.enableLfs ?? false),
  item.connectionState?.status,
  item.connectionState?.message?.split('\n')[0],
  item.project,
];
const nameOf = ({ repo }: Repository) => repo;

interface AddFlags {
  readonly name?: string;
  readonly project?: string;
  readonly insecureSkipServerVerification?: boolean;
  readonly insecureIgnoreHostKey?: boolean;
  readonly enableLfs?: boolean;
  readonly proxy?: string;
  readonly noProxy?: string;
  readonly depth?: string;
  readonly webhookManifestCacheWarmDisabled?: boolean;
  readonly upsert?: boolean;
}

/** `tiphys repo …`: the verbs of `argocd repo`. */
export function addRepositoryCommands(program: Command, surroundings: Surroundings): void {
  const { output, workdir } = surroundings;
  const command = program.command('repo').description('Manage repositories');
  addListVerb<Repository>(
    { command, surroundings, path: '/api/v1/repositories', columns, row, nameOf, nameForm: 'url', refreshes: true },
    'repositories',
  );

  command
    .command('get <url>')
    .description('Show a repository and whether it can be read')
    .addOption(outputFlag(['wide', 'url', 'json', 'yaml']))
    .option('--project <name>', 'Of this project')
    .option('--refresh <how>', 'hard: ask the host anew')
    .action(async (url: string, flags: { output: string; project?: string; refresh?: string }, own: Command) => {
      const found = await sessionOf(own, surroundings).request<Repository>(
        'GET',
        `/api/v1/repositories/${encodeURIComponent(url)}`,
        { query: { appProject: flags.project, forceRefresh: flags.refresh === 'hard' ? true : undefined } },
      );
      printRecords(surroundings, flags.output, { items: [found], columns, row, nameOf });
    });

  addCredentialFlags(command.command('add <url>').description('Register a repository'))
    .option('--name <name>', 'Name, for Helm repositories')
    .option('--project <name>', 'Only for this project')
    .option('--insecure-skip-server-verification', 'Do not verify certificates and host keys')
    .option('--insecure-ignore-host-key', 'The same, by its older name')
    .option('--enable-lfs', 'Read files of Git LFS')
    .option('--proxy <url>', 'Proxy')
    .addOption(noProxy())
    .option('--depth <commits>', 'How many commits are fetched; all if absent')
    .option('--webhook-manifest-cache-warm-disabled', 'Webhooks do not render ahead for it')
    .option('--upsert', 'Change it if it is there already')
    .action(async (url: string, flags: AddFlags, own: Command) => {
      await sessionOf(own, surroundings).request('POST', '/api/v1/repositories', {
        query: { upsert: flags.upsert ?? false },
        body: {
          repo: url,
          ...credentialsOf(own, url, workdir),
          name: flags.name,
          project: flags.project,
          insecure: flags.insecureSkipServerVerification ?? flags.insecureIgnoreHostKey,
          enableLfs: flags.enableLfs,
          proxy: flags.proxy,
          noProxy: flags.noProxy,
          webhookManifestCacheWarmDisabled: flags.webhookManifestCacheWarmDisabled,
          depth: flags.depth === undefined ? undefined : Number(flags.depth),
        },
      });
      output.out(`Repository '${url}' added`);
    });

  command
    .command('rm <url...>')
    .description('Remove repositories')
    .option('--project <name>', 'Of this project')
    .action(async (urls: string[], flags: { project?: string }, own: Command) => {
      for (const url of urls) {
        await sessionOf(own, surroundings).request('DELETE', `/api/v1/repositories/${encodeURIComponent(url)}`, {
          query: { appProject: flags.project },
        });
        output.out(`Repository '${url}' removed`);
      }
    });
}

/** The name begins as a negation of `--proxy` would, and is none. */
function noProxy(): Option {
  const option = new Option('--no-proxy <hosts>', 'Hosts that are reached without the proxy');
  option.negate = false;
  return option;
}
