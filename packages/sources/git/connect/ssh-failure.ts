import { type DiagnosisError, failure } from '@tiphys/diagnosis';
import { hostKeyChanged, hostKeyUnknown, proxyRefused, proxyUnreachable } from '../repository/diagnoses.ts';
import { notFound, refused } from './access-failure.ts';
import { connectFailure, lookupFailure, nameUnknown, unreachable, unreachableBecause } from './connection-failure.ts';
import { common, lastLines, type RemoteFailure, unknown } from './failed-remote.ts';
import { ofProxy } from './http-failure.ts';
import { knownFingerprints } from './known-hosts.ts';

export async function explainSsh(context: RemoteFailure): Promise<DiagnosisError> {
  const { stderr, remote } = context;
  const proxy = /^proxy (\S+) port (\d+): (.+)$/m.exec(stderr);
  if (proxy)
    return ofProxy(context, {
      kind: /ECONN|ENOTFOUND|EAI_AGAIN|no answer/.test(proxy[3] ?? '') ? proxyUnreachable : proxyRefused,
      message: `The proxy ${proxy[1]} port ${proxy[2]} does not let us through: ${proxy[3]}`,
      evidence: { hop: 'proxy', 'set by': 'proxy of the repository' },
      remedies: ['Correct the proxy of the repository, or set noProxy for this host'],
    });
  if (/host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED|No .* host key is known/i.test(stderr)) {
    if (/IDENTIFICATION HAS CHANGED/i.test(stderr)) return keyChanged(context);
    return failure(hostKeyUnknown, {
      message: `The SSH host key of ${remote.host} is not known`,
      place: { remote: remote.display },
      evidence: common(context, { ssh: lastLines(stderr) }),
      remedies: [
        {
          text: 'Compare the key with the one that the host publishes, then add it to argocd-ssh-known-hosts-cm',
          paste: `ssh-keyscan -p ${remote.port} ${remote.host} | argocd cert add-ssh --batch`,
        },
      ],
    });
  }
  if (/permission denied|authentication failed|invalid format|error in libcrypto|no such identity/i.test(stderr))
    return refused(context, { ssh: lastLines(stderr) });
  if (
    /repository not found|does not appear to be a git repository|project you were looking for|could not read from remote repository.*not exist|not exported/is.test(
      stderr,
    )
  )
    return notFound(context, { ssh: lastLines(stderr) });
  const unresolved = await lookupFailure(remote.host);
  if (unresolved) return nameUnknown(context, unresolved);
  const closed = await connectFailure(remote.host, remote.port, context.timeout);
  if (closed) return unreachable(context, closed.code ?? '', closed);
  return sshRefused(context) ?? unknown(context, {});
}

/** The connection stands, and SSH itself fails before anybody is asked who they are. */
function sshRefused(context: RemoteFailure): DiagnosisError | undefined {
  const { stderr, remote } = context;
  const at = `${remote.host} port ${remote.port}`;
  const facts = { phase: 'SSH key exchange', ssh: lastLines(stderr) };
  const methods = /no matching (\S+(?: \S+)*?) found\. Their offer: (\S+)/i.exec(stderr);
  if (methods)
    return unreachableBecause(
      context,
      `The SSH server at ${at} and this one agree on no ${methods[1]}: it offers ${methods[2]}`,
      facts,
      ['Let the host offer a method of today; it is too old, or set up too narrowly'],
    );
  if (
    /kex_exchange_identification|banner exchange|Bad packet length|ssh_dispatch_run_fatal|Connection (reset|closed) by/i.test(
      stderr,
    )
  )
    return unreachableBecause(
      context,
      `${at} takes the connection and ends it before SSH has begun: it may be no SSH server, be overloaded, or not let this address in`,
      facts,
      ['See that the port is that of SSH (ssh.HOST:443 is another one), and the log of the SSH server'],
    );
  return undefined;
}

/** Another remedy than for an unknown key: who adds the new one without a look lets in anyone who stands in between. */
function keyChanged(context: RemoteFailure): DiagnosisError {
  const { stderr, remote } = context;
  const shown = /fingerprint for the (\S+) key sent by the remote host is\s+(\S+?)\.?\s/i.exec(stderr);
  const known = knownFingerprints(context.credentials.knownHosts ?? '', { host: remote.host, port: remote.port });
  return failure(hostKeyChanged, {
    message: `The SSH host ${remote.host} shows another key${shown ? ` (${shown[1]} ${shown[2]})` : ''} than the known one: it was set up anew, or somebody stands in between`,
    place: { remote: remote.display },
    evidence: common(context, {
      'key that is shown': shown ? `${shown[1]} ${shown[2]}` : undefined,
      'keys that are known': known.join(', ') || 'written in hashed form',
    }),
    remedies: [
      `Ask who runs ${remote.host} whether its key was changed, and compare the fingerprint with the one that they publish`,
      {
        text: 'Only then replace the entry of the host in argocd-ssh-known-hosts-cm',
        paste: `argocd cert rm ${remote.host} --cert-type ssh && ssh-keyscan -p ${remote.port} ${remote.host} | argocd cert add-ssh --batch`,
        loses: 'the protection against somebody in between, if the key was not compared',
      },
    ],
  });
}
