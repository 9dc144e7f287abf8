import { type DiagnosisError, failure } from '@tiphys/diagnosis';
import { describeCredential } from '../repository/credentials.ts';
import { credentialRefused, repositoryNotFound } from '../repository/diagnoses.ts';
import { common, type Facts, type RemoteFailure } from './failed-remote.ts';
import { type ProxyHop, proxyHop } from './route.ts';

/** A proxy that passes plain requests on may answer in place of the host: then neither is accused alone. */
export function answererOf(context: RemoteFailure): string {
  const hop = plainHop(context);
  const { host } = context.remote;
  return hop ? `The host ${host}, or the proxy ${hop.display} on the way,` : `The host ${host}`;
}

/** The proxy that requests without TLS pass through, and which may answer them itself. */
export function plainHop({ remote, effective }: RemoteFailure): ProxyHop | undefined {
  return remote.transport === 'http' ? proxyHop({ secure: false, host: remote.host }, effective) : undefined;
}

export function refused(context: RemoteFailure, facts: Facts): DiagnosisError {
  const { remote, credentials } = context;
  const credential = describeCredential(
    remote.password && !credentials.password
      ? { username: remote.username ?? '', password: remote.password }
      : credentials,
  );
  const message =
    credential === 'none'
      ? facts['HTTP status'] === 403
        ? `The host ${remote.host} forbids it (403): no credential is configured for this URL, or the host does not let this address in`
        : `The host ${remote.host} wants a credential, and none is configured for this URL`
      : `The host ${remote.host} refused the credential (${credential})`;
  return failure(credentialRefused, {
    message,
    place: { remote: remote.display },
    evidence: common(context, { ...facts, credential }),
    remedies:
      credential === 'none'
        ? [
            {
              text: 'Add the repository with a credential',
              paste: `argocd repo add ${remote.display} --username USER --password TOKEN`,
            },
          ]
        : [
            `Correct or renew the credential${credentials.from ? ` in Secret ${credentials.from}` : ''}; it is tried again as soon as it changes`,
          ],
  });
}

export function notFound(context: RemoteFailure, facts: Facts): DiagnosisError {
  const credential = describeCredential(context.credentials);
  return failure(repositoryNotFound, {
    message: `repository not found, or not visible ${credential === 'none' ? 'without a credential' : `to the credential (${credential})`}`,
    place: { remote: context.remote.display },
    evidence: common(context, { ...facts, credential }),
    remedies: [
      'Correct the repository URL',
      credential === 'none'
        ? 'If it is private, add a credential for it'
        : 'Or grant the credential the right to read it',
    ],
  });
}
