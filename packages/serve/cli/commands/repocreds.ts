import type { Command } from 'commander';
import { type Surroundings, sessionOf } from '../terminal/command-context.ts';
import { asking } from '../terminal/confirm.ts';
import { addCredentialFlags, credentialsOf } from './common/credential-flags.ts';
import { addListVerb } from './common/records.ts';

interface Credentials {
  readonly url: string;
  readonly username?: string;
  readonly sshPrivateKey?: string;
  readonly tlsClientCertData?: string;
}

const path = '/api/v1/repocreds';

/** `tiphys repocreds …`: the verbs of `argocd repocreds`, credentials of all repositories whose URL begins alike. */
export function addRepositoryCredentialCommands(program: Command, surroundings: Surroundings): void {
  const { output, workdir } = surroundings;
  const command = program.command('repocreds').description('Manage credentials of many repositories');
  addListVerb<Credentials>(
    {
      command,
      surroundings,
      path,
      columns: ['URL PATTERN', 'USERNAME', 'SSH_CREDS', 'TLS_CREDS'],
      row: ({ url, username, sshPrivateKey, tlsClientCertData }) => [
        url,
        username,
        String(Boolean(sshPrivateKey)),
        String(Boolean(tlsClientCertData)),
      ],
      nameOf: ({ url }) => url,
      nameForm: 'url',
    },
    'credentials',
  );

  addCredentialFlags(command.command('add <url>').description('Add credentials for URLs that begin so'))
    .option('--proxy-url <url>', 'Proxy')
    .option('--upsert', 'Change them if they are there already')
    .action(async (url: string, flags: { proxyUrl?: string; upsert?: boolean }, own: Command) => {
      await sessionOf(own, surroundings).request('POST', path, {
        query: { upsert: flags.upsert ?? false },
        body: { url, ...credentialsOf(own, url, workdir), proxy: flags.proxyUrl },
      });
      output.out(`Repository credentials for '${url}' added`);
    });

  command
    .command('rm <url...>')
    .description('Remove credentials')
    .option('-y, --yes', 'Do not ask')
    .hook('preAction', asking(surroundings))
    .action(async (urls: string[], _flags: object, own: Command) => {
      for (const url of urls) {
        await sessionOf(own, surroundings).request('DELETE', `${path}/${encodeURIComponent(url)}`);
        output.out(`Repository credentials for '${url}' removed`);
      }
    });
}
