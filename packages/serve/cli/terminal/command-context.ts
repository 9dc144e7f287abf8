import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import type { Command } from 'commander';
import { ApiSession } from '../client/api-session.ts';
import { type ConnectionFlags, connectionOf } from './connection-flags.ts';
import type { Output } from './output.ts';
import { readSessions, type Sessions, serverNamed, sessionFile } from './session-file.ts';

/** What commands get from the process; nothing reads globals. */
export interface Surroundings {
  readonly output: Output;
  readonly env: NodeJS.ProcessEnv;
  /** Directory in which the user called. */
  readonly workdir: string;
  readonly signal: AbortSignal;
  /** Reads a line without echo; undefined if there is no terminal. */
  readonly askPassword: (prompt: string) => Promise<string | undefined>;
  /** Reads a line; absent where there is no terminal. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
}

/** Ends the process with this code after the command has said why. */
export class Exit extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

const unknownContext = defineDiagnosis('ContextUnknown', 'The command line has no session of the server that is named');

const defaultServer = 'http://localhost:8080';

/** The session that a command's global options ask for: flag, then environment, then the saved one. */
export function sessionOf(command: Command, { env }: Surroundings): ApiSession {
  const flags = command.optsWithGlobals<ConnectionFlags>();
  const saved = readSessions(sessionFile(env));
  const server = flags.argocdContext
    ? contextOf(saved, flags.argocdContext)
    : serverOf(flags.server ?? env.TIPHYS_SERVER ?? saved.current ?? defaultServer, flags, saved);
  return new ApiSession(server, flags.authToken ?? env.TIPHYS_AUTH_TOKEN ?? saved.tokens[server], connectionOf(flags));
}

function contextOf(saved: Sessions, name: string): string {
  const server = serverNamed(saved, name);
  if (server) return server;
  throw failure(unknownContext, {
    message: `There is no session of ${JSON.stringify(name)}`,
    evidence: { 'logged in to': Object.keys(saved.tokens).join(', ') || 'none' },
    remedies: [{ text: 'Log in to it, or see the names', paste: 'tiphys context' }],
  });
}

/** The address that flags and a name mean: one that was logged in to keeps its scheme and path. */
export function serverOf(server: string, flags: ConnectionFlags, saved: Sessions = { tokens: {} }): string {
  const known = /^https?:\/\//.test(server) ? undefined : serverNamed(saved, server);
  const url = known ?? serverUrl(server, flags);
  const path = flags.grpcWebRootPath?.replace(/^\/+|(?<!\/)\/+$/g, '');
  return path && !known ? `${url}/${path}` : url;
}

/**
 * `host:port` becomes a URL; a URL stays. Without a scheme it is https, as for `argocd`, so that no password goes over a network in
 * plain text; http for this machine, and with `--plaintext`.
 */
export function serverUrl(
  server: string,
  flags: Pick<ConnectionFlags, 'plaintext' | 'insecure' | 'serverCrt'> = {},
): string {
  const url = server.replace(/(?<!\/)\/+$/, '');
  if (/^https?:\/\//.test(url)) return url;
  const wantsTls = flags.insecure || flags.serverCrt;
  const isHere = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?=[:/]|$)/i.test(url);
  return `${flags.plaintext || (isHere && !wantsTls) ? 'http' : 'https'}://${url}`;
}
