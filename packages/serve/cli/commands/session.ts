import type { Command } from 'commander';
import { Exit, type Surroundings, sessionOf } from '../terminal/command-context.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { structured, table } from '../terminal/output.ts';
import {
  dropSession,
  keepPrompts,
  readSessions,
  serverNamed,
  sessionFile,
  useServer,
} from '../terminal/session-file.ts';
import { version } from '../terminal/version.ts';
import { outputFlag } from './common/output-flag.ts';

/** `tiphys context`, `logout`, `version`: what concerns the connection to a server. */
export function addSessionCommands(program: Command, surroundings: Surroundings): void {
  const { output, env } = surroundings;
  const file = sessionFile(env);
  const unknown = (server: string): never => {
    output.error(`There is no session for ${server}: tiphys login ${server}`);
    throw new Exit(exitCodes.usage);
  };

  program
    .command('context [server]')
    .alias('ctx')
    .description('Show the servers that are logged in to, or switch to one')
    .option('--delete', 'Forget the server')
    .action((server: string | undefined, flags: { delete?: boolean }) => {
      const sessions = readSessions(file);
      const { current, tokens, names = {} } = sessions;
      if (server === undefined) {
        const nameOf = (url: string) => Object.keys(names).find((name) => names[name] === url) ?? new URL(url).host;
        const rows = Object.keys(tokens).map((url) => [url === current ? '*' : '', nameOf(url), url]);
        return output.out(table([['CURRENT', 'NAME', 'SERVER'], ...rows]));
      }
      const url = serverNamed(sessions, server);
      if (!url) return unknown(server);
      if (flags.delete) {
        dropSession(file, url);
        return output.out(`Context '${server}' deleted`);
      }
      useServer(file, url);
      return output.out(`Switched to context '${server}'`);
    });

  program
    .command('logout [server]')
    .description('End the session of a server')
    .action((server: string | undefined) => {
      const sessions = readSessions(file);
      const { current, tokens } = sessions;
      const url = server === undefined ? current : serverNamed(sessions, server);
      if (!url || !tokens[url]) return unknown(server ?? 'the current server');
      dropSession(file, url);
      return output.out(`Logged out from '${new URL(url).host}'`);
    });

  program
    .command('configure')
    .description('Keep settings of the command line')
    .option('--prompts-enabled [boolean]', 'Whether commands that delete ask before, where there is a terminal')
    .action(({ promptsEnabled }: { promptsEnabled?: boolean | string }) => {
      if (promptsEnabled === undefined) return output.out('Nothing to configure: give --prompts-enabled=true or false');
      if (!['true', 'false', true].includes(promptsEnabled)) {
        output.error(`--prompts-enabled is true or false, found ${JSON.stringify(promptsEnabled)}`);
        throw new Exit(exitCodes.usage);
      }
      const enabled = promptsEnabled !== 'false';
      keepPrompts(file, enabled);
      return output.out(`Prompts are ${enabled ? 'enabled' : 'disabled'}`);
    });

  program
    .command('version')
    .description('Print the versions of the command line and of the server')
    .option('--client', 'Only that of the command line')
    .option('--short', 'Only the numbers')
    .addOption(outputFlag(['wide', 'short', 'json', 'yaml']))
    .action(async (given: { client?: boolean; short?: boolean; output: string }, own: Command) => {
      const flags = { ...given, short: given.short || given.output === 'short' };
      if (flags.output === 'json' || flags.output === 'yaml') {
        const server = flags.client
          ? undefined
          : await sessionOf(own, surroundings).request<object>('GET', '/api/version');
        const client = { Version: version, Platform: `${process.platform}/${process.arch}` };
        return output.out(structured(flags.output, { client, ...(server ? { server } : {}) }));
      }
      output.out(
        flags.short ? `tiphys: ${version}` : `tiphys: ${version}\n  Platform: ${process.platform}/${process.arch}`,
      );
      if (flags.client) return;
      const server = await sessionOf(own, surroundings).request<{ Version?: string; Platform?: string }>(
        'GET',
        '/api/version',
      );
      output.out(
        `argocd-server: ${server.Version ?? ''}${flags.short || !server.Platform ? '' : `\n  Platform: ${server.Platform}`}`,
      );
    });
}
