import { lookup } from 'node:dns/promises';
import { connect } from 'node:net';
import { type DiagnosisError, failure } from '@tiphys/diagnosis';
import { guardedHost } from '@tiphys/outbound';
import { repositoryUnreachable } from '../repository/diagnoses.ts';
import { common, type Facts, type RemoteFailure } from './failed-remote.ts';

export async function lookupFailure(host: string): Promise<string | undefined> {
  try {
    await lookup(host);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'ENOTFOUND';
  }
}

export function connectFailure(
  host: string,
  port: number,
  timeout: number,
): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const socket = connect({
      ...guardedHost(host),
      host,
      port,
      timeout,
    });
    const end = (error?: NodeJS.ErrnoException) => {
      socket.destroy();
      resolve(error);
    };
    socket.once('connect', () => end());
    socket.once('timeout', () => end(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })));
    socket.once('error', end);
  });
}

export function nameUnknown(context: RemoteFailure, code: string): DiagnosisError {
  const { host } = context.remote;
  return code === 'EAI_AGAIN'
    ? unreachableBecause(
        context,
        `The name service (DNS) gives no answer for the host name ${host}: it fails or cannot be reached`,
        { phase: 'DNS', error: code },
        ['Restore the name service of this machine; the host and its name may be right. It is tried again by itself'],
      )
    : unreachableBecause(
        context,
        `The host name ${host} cannot be resolved: there is no such name`,
        { phase: 'DNS', error: code },
        ['Correct the host in the repository URL, or the name service (DNS) of this machine'],
      );
}

export function unreachable(context: RemoteFailure, code: string, error: Error): DiagnosisError {
  const { host, port } = context.remote;
  const what =
    code === 'ECONNREFUSED'
      ? `Nothing listens at ${host} port ${port}: the connection was refused`
      : code === 'ETIMEDOUT' || code === 'ABORT_ERR'
        ? `The host ${host} did not answer within ${context.timeout / 1000} s`
        : code === 'EPROTO' && /wrong version number|packet length|http request/i.test(error.message)
          ? `The host ${host} speaks no TLS at port ${port}, and the URL says https`
          : `The connection to ${host} port ${port} failed: ${error.message.split('\n', 1)[0]}`;
  return unreachableBecause(context, what, { phase: code === 'EPROTO' ? 'TLS' : 'TCP', error: code || error.message }, [
    'Check that the host is up and that firewalls and network policies let us through; it is tried again by itself',
  ]);
}

export function unreachableBecause(
  context: RemoteFailure,
  message: string,
  facts: Facts,
  remedies: string[],
): DiagnosisError {
  return failure(
    repositoryUnreachable,
    { message, place: { remote: context.remote.display }, evidence: common(context, facts), remedies },
    { handling: 'retryable' },
  );
}
