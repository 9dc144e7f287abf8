import type { Command } from 'commander';
import { decodeJwt } from 'jose';
import { ApiSession } from '../client/api-session.ts';
import { Exit, type Surroundings, serverOf } from '../terminal/command-context.ts';
import { type ConnectionFlags, connectionOf } from '../terminal/connection-flags.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { openBrowser } from '../terminal/open-browser.ts';
import { readSessions, saveSession, serverNamed, sessionFile } from '../terminal/session-file.ts';

interface LoginFlags extends ConnectionFlags {
  readonly username?: string;
  readonly password?: string;
  readonly sso?: boolean;
  readonly ssoPort: number;
  readonly ssoLaunchBrowser: boolean | string;
  readonly callback?: string;
  readonly name?: string;
}

interface Login {
  readonly url: string;
  readonly flags: LoginFlags;
}

/** `tiphys login [server]` and `relogin`: save a session for later commands. */
export function addLoginCommand(program: Command, surroundings: Surroundings): void {
  const { output, env } = surroundings;
  const keep = async ({ url, flags }: Login, method: 'sso' | 'password'): Promise<void> => {
    const token =
      method === 'sso' ? await bySso({ url, flags }, surroundings) : await byPassword({ url, flags }, surroundings);
    saveSession(sessionFile(env), url, { token, ...(flags.name ? { name: flags.name } : {}) });
    output.out(`'${nameIn(token)}' logged in successfully`);
  };

  withSsoFlags(
    program.command('login [server]').description('Log in to a server and keep the session for later commands'),
  )
    .option('--username <name>', 'Account', 'admin')
    .option('--password <password>', 'Password; asked for if not given')
    .option('--sso', 'Log in by the identity provider of the server, in a browser')
    .option('--name <name>', 'Name of the server for tiphys context; its host if absent')
    .option('--skip-test-tls', 'No effect: nothing is tried without TLS by itself')
    .action(async (server: string | undefined, _flags: object, command: Command) => {
      const flags = command.optsWithGlobals<LoginFlags>();
      const url = serverOf(server ?? flags.server ?? env.TIPHYS_SERVER ?? 'localhost:8080', flags);
      await keep({ url, flags }, flags.sso ? 'sso' : 'password');
    });

  withSsoFlags(program.command('relogin').description('Log in again to the server that is used, in the way of before'))
    .option('--password <password>', 'Password; asked for if not given')
    .action(async (_flags: object, command: Command) => {
      const flags = command.optsWithGlobals<LoginFlags>();
      const sessions = readSessions(sessionFile(env));
      const wanted = flags.argocdContext ?? flags.server;
      const url = wanted ? serverNamed(sessions, wanted) : sessions.current;
      const token = url === undefined ? undefined : sessions.tokens[url];
      if (!url || !token) {
        output.error('There is no session to renew: tiphys login SERVER');
        throw new Exit(exitCodes.usage);
      }
      const own = accountOf(token);
      await keep({ url, flags: { ...flags, ...(own ? { username: own } : {}) } }, own ? 'password' : 'sso');
    });
}

function withSsoFlags(command: Command): Command {
  return command
    .option('--sso-port <number>', 'Port of this machine to which the browser comes back', Number, 8085)
    .option('--sso-launch-browser [boolean]', 'Open the default browser; its address is printed too', true)
    .option('--callback <url>', 'Scheme, host and port under which the browser reaches that port');
}

async function byPassword({ url, flags }: Login, { output, askPassword }: Surroundings): Promise<string> {
  const password = flags.password ?? (await askPassword('Password: '));
  if (password === undefined) {
    output.error('There is no terminal to ask for the password: give it with --password');
    throw new Exit(exitCodes.usage);
  }
  const session = new ApiSession(url, undefined, connectionOf(flags));
  const body = { username: flags.username, password };
  return (await session.request<{ token: string }>('POST', '/api/v1/session', { body })).token;
}

async function bySso({ url, flags }: Login, { output, signal }: Surroundings): Promise<string> {
  // only who logs in so pays for loading it
  const { browserLogin } = await import('../client/browser-login.ts');
  const { ssoPort: port, callback, ssoLaunchBrowser } = flags;
  return await browserLogin(new ApiSession(url, undefined, connectionOf(flags)), {
    port,
    ...(callback ? { callback } : {}),
    signal,
    show: (address) => {
      output.out(`Log in at ${address.href}`);
      if (ssoLaunchBrowser === true || ssoLaunchBrowser === 'true') openBrowser(address);
    },
  });
}

/** The account of the server that a token is of; undefined for one of an identity provider. */
function accountOf(token: string): string | undefined {
  const { iss, sub = '' } = decodeJwt(token);
  return iss === 'argocd' ? sub.replace(/:login$/, '') : undefined;
}

function nameIn(token: string): string {
  const {
    iss,
    sub = '',
    email,
    preferred_username: name,
  } = decodeJwt(token) as {
    iss?: string;
    sub?: string;
    email?: string;
    preferred_username?: string;
  };
  if (iss === 'argocd') return sub.includes(':') ? sub : `${sub}:login`;
  return name || email || sub;
}
