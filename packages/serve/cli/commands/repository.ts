import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type Surroundings, sessionOf } from '../terminal/command-context.ts';
import { addListVerb, printRecords } from './records.ts';

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
  readonly type: string;
  readonly name?: string;
  readonly project?: string;
  readonly username?: string;
  readonly password?: string;
  readonly sshPrivateKeyPath?: string;
  readonly insecureSkipServerVerification?: boolean;
  readonly enableOci?: boolean;
  readonly enableLfs?: boolean;
  readonly proxy?: string;
  readonly upsert?: boolean;
}

/** `tiphys repo …`: the verbs of `argocd repo`. */
export function addRepositoryCommands(program: Command, surroundings: Surroundings): void {
  const { output, workdir } = surroundings;
  const command = program.command('repo').description('Manage repositories');
  addListVerb<Repository>(
    { command, surroundings, path: '/api/v1/repositories', columns, row, nameOf },
    'repositories',
  );

  command
    .command('get <url>')
    .description('Show a repository and whether it can be read')
    .option('-o, --output <format>', 'wide, url, json or yaml', 'wide')
    .action(async (url: string, flags: { output: string }, own: Command) => {
      const found = await sessionOf(own, surroundings).request<Repository>(
        'GET',
        `/api/v1/repositories/${encodeURIComponent(url)}`,
      );
      printRecords(surroundings, flags.output, { items: [found], columns, row, nameOf });
    });

  command
    .command('add <url>')
    .description('Register a repository')
    .option('--type <type>', 'git, helm or oci', 'git')
    .option('--name <name>', 'Name, for Helm repositories')
    .option('--project <name>', 'Only for this project')
    .option('--username <name>', 'User name')
    .option('--password <password>', 'Password or token')
    .option('--ssh-private-key-path <file>', 'SSH key')
    .option('--insecure-skip-server-verification', 'Do not verify certificates and host keys')
    .option('--enable-oci', 'The Helm repository is an OCI registry')
    .option('--enable-lfs', 'Read files of Git LFS')
    .option('--proxy <url>', 'Proxy')
    .option('--upsert', 'Change it if it is there already')
    .action(async (url: string, flags: AddFlags, own: Command) => {
      const key = flags.sshPrivateKeyPath ? readFileSync(resolve(workdir, flags.sshPrivateKeyPath), 'utf8') : undefined;
      await sessionOf(own, surroundings).request('POST', '/api/v1/repositories', {
        query: { upsert: flags.upsert ?? false },
        body: {
          repo: url,
          type: flags.type,
          name: flags.name,
          project: flags.project,
          username: flags.username,
          password: flags.password,
          sshPrivateKey: key,
          insecure: flags.insecureSkipServerVerification,
          enableOCI: flags.enableOci,
          enableLfs: flags.enableLfs,
          proxy: flags.proxy,
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
