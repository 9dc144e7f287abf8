import type { Command } from 'commander';
import { ApiSession } from '../../client/api-session.ts';
import { type Surroundings, sessionOf } from '../../terminal/command-context.ts';

/**
 * The API of workflows, for what a cluster alone cannot tell: the one that `ARGO_SERVER`, `ARGO_TOKEN` and `ARGO_SECURE` name, as for
 * `argo`; else that of the server that `tiphys login` or `--server` names.
 */
export function flowServer(command: Command, surroundings: Surroundings): ApiSession {
  const { ARGO_SERVER: server, ARGO_TOKEN: token, ARGO_SECURE: secure } = surroundings.env;
  if (server)
    return new ApiSession(`${secure === 'false' ? 'http' : 'https'}://${server}`, token?.replace(/^Bearer /, ''));
  const session = sessionOf(command, surroundings);
  return new ApiSession(`${session.server}/api/tiphys/v1/flow`, session.token);
}

/** Parts of a path, each as it may stand there. */
export function pathOf(...parts: readonly string[]): string {
  return parts.map(encodeURIComponent).join('/');
}
