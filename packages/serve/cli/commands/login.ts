import type { Command } from 'commander';
import { ApiSession } from '../client/api-session.ts';
import { Exit, type Surroundings, serverUrl } from '../terminal/command-context.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { saveSession, sessionFile } from '../terminal/session-file.ts';

/** `tiphys login [server]`: saves a session for later commands. */
export function addLoginCommand(program: Command, { output, env, askPassword }: Surroundings): void {
  program
    .command('login [server]')
    .description('Log in to a server and keep the session for later commands')
    .option('--username <name>', 'Account', 'admin')
    .option('--password <password>', 'Password; asked for if not given')
    .action(async (server: string | undefined, options) => {
      const url = serverUrl(server ?? env.TIPHYS_SERVER ?? 'localhost:8080');
      const password = options.password ?? (await askPassword('Password: '));
      if (password === undefined) {
        output.error('There is no terminal to ask for the password: give it with --password');
        throw new Exit(exitCodes.usage);
      }
      const { token } = await new ApiSession(url).request<{ token: string }>('POST', '/api/v1/session', {
        body: { username: options.username, password },
      });
      saveSession(sessionFile(env), url, { token });
      output.out(`'${options.username}:login' logged in successfully`);
    });
}
