import { readFileSync } from 'node:fs';
import { goDurationOrSeconds } from '@tiphys/go';
import type { ClusterConfig } from '@tiphys/kubernetes';
import { type Command, InvalidArgumentError } from 'commander';

/** Flags that say which cluster a command is about and as whom, as kubectl has them. */
export interface Where {
  readonly namespace?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly cluster?: string;
  readonly user?: string;
  readonly server?: string;
  readonly token?: string;
  readonly as?: string;
  readonly asGroup?: readonly string[];
  readonly asUid?: string;
  readonly certificateAuthority?: string;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
  readonly insecureSkipTlsVerify?: boolean;
  readonly tlsServerName?: string;
  /** Milliseconds; 0 for the usual limit. */
  readonly requestTimeout?: number;
}

/** Adds the flags of a command that is about one cluster: namespace, kubeconfig and context. */
export function whereFlags(command: Command): Command {
  return command
    .option('-n, --namespace <name>', "Namespace; the context's if absent")
    .option('--kubeconfig <file>', 'Kubeconfig (KUBECONFIG)')
    .option('--context <name>', 'Context of the kubeconfig');
}

/** Adds kubectl's flags to a group of commands; those that have nothing to act on here are taken and have no effect. */
export function addKubeFlags(group: Command): Command {
  return group
    .option('-n, --namespace <name>', "Namespace; the context's if absent")
    .option('--kubeconfig <file>', 'Kubeconfig (KUBECONFIG)')
    .option('--context <name>', 'Context of the kubeconfig')
    .option('--cluster <name>', 'Cluster of the kubeconfig instead of the one of the context')
    .option('--user <name>', 'User of the kubeconfig instead of the one of the context')
    .option('-s, --server <url>', 'Kubernetes API server instead of that of the cluster')
    .option('--token <token>', 'Token instead of the credentials of the user')
    .option('--as <user>', 'Act as this user')
    .option('--as-group <group>', 'And as one of this group; may be given again', collected)
    .option('--as-uid <uid>', 'And with this UID')
    .option('--certificate-authority <file>', 'Authorities of the certificate of the API server')
    .option('--client-certificate <file>', 'Certificate instead of the credentials of the user')
    .option('--client-key <file>', 'Key of the certificate')
    .option('--insecure-skip-tls-verify', 'Accept any certificate of the API server')
    .option('--tls-server-name <name>', 'Name that the certificate of the API server is to have')
    .option(
      '--request-timeout <duration>',
      'How long the API server may take to answer, such as 5s; 0 for its usual time',
      limit,
    )
    .option('--cache-dir <folder>', 'No effect: nothing is kept between commands')
    .option('--disable-compression', 'No effect: answers are not compressed')
    .option('--kloglevel <level>', 'No effect: what goes wrong is always told')
    .option('--loglevel <level>', 'No effect: what goes wrong is always told');
}

const collected = (value: string, all: readonly string[] = []): string[] => [...all, value];

/** A duration of Go, or seconds without a unit, as kubectl takes it. */
function limit(text: string): number {
  const milliseconds = goDurationOrSeconds(text);
  if (milliseconds === undefined || milliseconds < 0)
    throw new InvalidArgumentError('It is no duration, such as 5s, 2m or 1m30s.');
  return milliseconds;
}

/** The configuration of a kubeconfig with what flags say instead. */
export function withFlags(config: ClusterConfig, flags: Where): ClusterConfig {
  const { server, token, as, asGroup, asUid, requestTimeout } = flags;
  const own = token !== undefined || flags.clientCertificate !== undefined;
  const { bearerToken: _token, tokenFile: _file, exec: _exec, username: _name, password: _password, ...bare } = config;
  const kept = own ? bare : config;
  const identity = { ...config.impersonate, ...(as ? { name: as } : {}) };
  return {
    ...kept,
    ...(server ? { server } : {}),
    ...(requestTimeout ? { answerTimeout: Math.max(1, requestTimeout) } : {}),
    tls: tlsOf(config.tls ?? {}, flags, own),
    ...(token ? { bearerToken: token } : {}),
    ...(identity.name
      ? {
          impersonate: {
            ...identity,
            name: identity.name,
            ...(asGroup ? { groups: [...asGroup] } : {}),
            ...(asUid ? { uid: asUid } : {}),
          },
        }
      : {}),
  };
}

function tlsOf(tls: NonNullable<ClusterConfig['tls']>, flags: Where, own: boolean): NonNullable<ClusterConfig['tls']> {
  const { cert: _cert, key: _key, ...anonymous } = tls;
  const kept = own ? anonymous : tls;
  const { ca: _ca, ...unchecked } = kept;
  return {
    ...(flags.insecureSkipTlsVerify ? { ...unchecked, insecure: true } : kept),
    ...(flags.certificateAuthority ? { ca: read(flags.certificateAuthority) } : {}),
    ...(flags.clientCertificate ? { cert: read(flags.clientCertificate) } : {}),
    ...(flags.clientKey ? { key: read(flags.clientKey) } : {}),
    ...(flags.tlsServerName ? { serverName: flags.tlsServerName } : {}),
  };
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new InvalidArgumentError(`${file} cannot be read: ${(error as Error).message}`);
  }
}
