import type { Command } from 'commander';
import { Exit, type Surroundings, sessionOf } from '../terminal/command-context.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { structured, table } from '../terminal/output.ts';
import { addListVerb } from './records.ts';

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
    .description('Who is logged in')
    .option('-o, --output <format>', 'wide, json or yaml', 'wide')
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
    .option('--expires-in <seconds>', 'Seconds; never if absent', (text) => Number.parseInt(text, 10), 0)
    .option('--id <id>', 'Identifier of the token')
    .action(async (flags: { account?: string; expiresIn: number; id?: string }, own: Command) => {
      const session = sessionOf(own, surroundings);
      const name =
        flags.account ??
        (await session.request<{ username?: string }>('GET', '/api/v1/session/userinfo')).username ??
        '';
      const { token } = await session.request<{ token: string }>(
        'POST',
        `/api/v1/account/${encodeURIComponent(name)}/token`,
        {
          body: { name, expiresIn: String(flags.expiresIn), id: flags.id },
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
}
