import bcrypt from 'bcryptjs';
import { type Command, Option } from 'commander';
import type { ApiSession } from '../client/api-session.ts';
import { Exit, type Surroundings, sessionOf } from '../terminal/command-context.ts';
import { asking } from '../terminal/confirm.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { structured, table } from '../terminal/output.ts';
import { outputFlag } from './common/output-flag.ts';
import { addListVerb } from './common/records.ts';
import { secondsOf } from './common/seconds.ts';

interface Account {
  readonly name: string;
  readonly enabled?: boolean;
  readonly capabilities?: readonly string[] | null;
}

/** `tiphys account …`: the verbs of `argocd account`. */
export function addAccountCommands(program: Command, surroundings: Surroundings): void {
  const { output, askPassword } = surroundings;
  const command = program.command('account').description('Manage accounts');
  addListVerb<Account>(
    {
      command,
      surroundings,
      path: '/api/v1/account',
      columns: ['NAME', 'ENABLED', 'CAPABILITIES'],
      row: ({ name, enabled, capabilities }) => [name, String(enabled ?? false), (capabilities ?? []).join(', ')],
      nameOf: ({ name }) => name,
    },
    'accounts',
  );

  command
    .command('get-user-info')
    .alias('whoami')
    .description('Who is logged in')
    .addOption(outputFlag(['wide', 'json', 'yaml']))
    .action(async (flags: { output: string }, own: Command) => {
      const info = await sessionOf(own, surroundings).request<{
        loggedIn?: boolean;
        username?: string;
        iss?: string;
        groups?: string[] | null;
      }>('GET', '/api/v1/session/userinfo');
      if (flags.output === 'json' || flags.output === 'yaml') return output.out(structured(flags.output, info));
      return output.out(
        table([
          ['Logged In:', String(info.loggedIn ?? false)],
          ['Username:', info.username ?? ''],
          ['Issuer:', info.iss ?? ''],
          ['Groups:', (info.groups ?? []).join(',')],
        ]),
      );
    });

  command
    .command('can-i <action> <resource> <subresource>')
    .description('Whether the session may do something')
    .action(async (action: string, resource: string, subresource: string, _flags: object, own: Command) => {
      const parts = [resource, action, subresource].map(encodeURIComponent).join('/');
      const { value } = await sessionOf(own, surroundings).request<{ value?: string }>(
        'GET',
        `/api/v1/account/can-i/${parts}`,
      );
      output.out(value ?? 'no');
    });

  command
    .command('generate-token')
    .description('Make a token for an account')
    .option('-a, --account <name>', 'Account; that of the session if absent')
    .option('-e, --expires-in <duration>', 'How long it is valid (12h, 7d); for ever if absent', '0s')
    .option('--id <id>', 'Identifier of the token')
    .action(async (flags: { account?: string; expiresIn: string; id?: string }, own: Command) => {
      const session = sessionOf(own, surroundings);
      const name = flags.account ?? (await userOf(session));
      const { token } = await session.request<{ token: string }>(
        'POST',
        `/api/v1/account/${encodeURIComponent(name)}/token`,
        {
          body: { name, expiresIn: secondsOf(own, flags.expiresIn), id: flags.id },
        },
      );
      output.out(token);
    });

  command
    .command('update-password')
    .description('Change the password of an account')
    .option('--account <name>', 'Account; that of the session if absent')
    .option('--current-password <password>', 'Password of who is logged in; asked for if not given')
    .option('--new-password <password>', 'New password; asked for if not given')
    .action(async (flags: { account?: string; currentPassword?: string; newPassword?: string }, own: Command) => {
      const current = flags.currentPassword ?? (await askPassword('Password of who is logged in: '));
      const next = flags.newPassword ?? (await askPassword('New password: '));
      if (current === undefined || next === undefined) {
        output.error('There is no terminal to ask for passwords: give --current-password and --new-password');
        throw new Exit(exitCodes.usage);
      }
      await sessionOf(own, surroundings).request('PUT', '/api/v1/account/password', {
        body: { name: flags.account ?? '', currentPassword: current, newPassword: next },
      });
      output.out('Password updated');
    });

  command
    .command('bcrypt')
    .description('Print the hash of a password, as argocd-secret keeps it')
    .option('--password <password>', 'Password; asked for if not given')
    .action(async (flags: { password?: string }) => {
      const password = flags.password ?? (await askPassword('Password: '));
      if (password === undefined) {
        output.error('There is no terminal to ask for the password: give it with --password');
        throw new Exit(exitCodes.usage);
      }
      output.out(await bcrypt.hash(password, 10));
    });

  command
    .command('get')
    .description('Show an account with its tokens')
    .option('-a, --account <name>', 'Account; that of the session if absent')
    .addOption(outputFlag(['wide', 'name', 'json', 'yaml']))
    .action(async (flags: { account?: string; output: string }, own: Command) => {
      const session = sessionOf(own, surroundings);
      const account = await session.request<Account & { tokens?: readonly Token[] | null }>(
        'GET',
        `/api/v1/account/${encodeURIComponent(flags.account ?? (await userOf(session)))}`,
      );
      if (flags.output === 'json' || flags.output === 'yaml') return output.out(structured(flags.output, account));
      if (flags.output === 'name') return output.out(account.name);
      const time = (seconds: string | undefined) =>
        seconds && seconds !== '0' ? new Date(Number(seconds) * 1000).toISOString().replace('.000Z', 'Z') : 'never';
      const tokens = (account.tokens ?? []).map(({ id, issuedAt, expiresAt }) => [id, time(issuedAt), time(expiresAt)]);
      return output.out(
        [
          table([
            ['Name:', account.name],
            ['Enabled:', String(account.enabled ?? false)],
            ['Capabilities:', (account.capabilities ?? []).join(', ')],
          ]),
          '\nTokens:',
          tokens.length === 0 ? 'NONE' : table([['ID', 'ISSUED AT', 'EXPIRING AT'], ...tokens]),
        ].join('\n'),
      );
    });

  command
    .command('delete-token <id>')
    .description('Delete a token of an account')
    .option('-a, --account <name>', 'Account; that of the session if absent')
    .option('-y, --yes', 'Do not ask')
    .hook('preAction', asking(surroundings))
    .action(async (id: string, flags: { account?: string }, own: Command) => {
      const session = sessionOf(own, surroundings);
      const name = encodeURIComponent(flags.account ?? (await userOf(session)));
      await session.request('DELETE', `/api/v1/account/${name}/token/${encodeURIComponent(id)}`);
    });

  command
    .command('session-token')
    .description('Print the token of the session')
    .addOption(new Option('-o, --output <format>', 'Output format; plain text if absent').choices(['json', 'yaml']))
    .action(({ output: format }: { output?: 'json' | 'yaml' }, own: Command) => {
      const { token } = sessionOf(own, surroundings);
      if (token) return output.out(format ? structured(format, { token }) : token);
      output.error('There is no session: tiphys login');
      throw new Exit(exitCodes.generic);
    });
}

interface Token {
  readonly id: string;
  /** Seconds since 1970, as text. */
  readonly issuedAt?: string;
  readonly expiresAt?: string;
}

async function userOf(session: ApiSession): Promise<string> {
  return (await session.request<{ username?: string }>('GET', '/api/v1/session/userinfo')).username ?? '';
}
