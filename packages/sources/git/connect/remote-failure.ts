import { type DiagnosisError, failure } from '@tiphys/diagnosis';
import { gitTimeout, repositoryFailed } from '../repository/diagnoses.ts';
import { notFound } from './access-failure.ts';
import { common, type RemoteFailure, unknown } from './failed-remote.ts';
import { explainHttp, saysNoGit } from './http-failure.ts';
import { proxyHop } from './route.ts';
import { explainSsh } from './ssh-failure.ts';

export type { RemoteFailure } from './failed-remote.ts';

/**
 * Why git could not reach a remote: the host is asked again, step by step (name, connection, TLS, HTTP status), with the
 * same credential, and the first step that fails is the cause. git's own words serve for what cannot be asked that way.
 */
export async function explainRemoteFailure(context: RemoteFailure): Promise<DiagnosisError> {
  const { transport } = context.remote;
  if (transport === 'http' || transport === 'https') return explainHttp(context);
  if (transport === 'ssh' || transport === 'git') return explainSsh(context);
  return /does not appear to be a git repository|not a git repository|does not exist/i.test(context.stderr)
    ? notFound(context, {})
    : unknown(context, {});
}

/**
 * Why a remote over HTTP shows no branch: undefined if it speaks git, and so has none. A web page in its place, such as a login,
 * looks to git like an empty repository.
 */
export async function explainEmpty(context: RemoteFailure): Promise<DiagnosisError | undefined> {
  const { transport } = context.remote;
  if (transport !== 'http' && transport !== 'https') return undefined;
  const found = await explainHttp(context);
  return found.diagnosis.code === repositoryFailed.code && !saysNoGit(found) ? undefined : found;
}

/** That git did not come to an end, with the way that it went. */
export function explainTimeout({ diagnosis }: DiagnosisError, context: RemoteFailure): DiagnosisError {
  const { remote, effective } = context;
  const { host, port, transport } = remote;
  const hop = proxyHop({ secure: transport === 'https', host }, effective);
  return failure(
    gitTimeout,
    {
      message: `${diagnosis.message}: the host ${host} port ${port}${hop ? `, or the proxy ${hop.display} on the way,` : ''} takes the connection and does not answer, or answers too slowly`,
      place: { remote: remote.display },
      evidence: common(context, {
        route: hop ? `through the proxy ${hop.display} (${hop.setBy})` : `straight to ${host} port ${port}`,
        ...Object.fromEntries(diagnosis.evidence.map(({ name, value }) => [name, value])),
      }),
      remedies: [
        'Look at the load of the host and at what stands before it (gateway, firewall); it is tried again by itself',
      ],
    },
    { handling: 'retryable' },
  );
}
