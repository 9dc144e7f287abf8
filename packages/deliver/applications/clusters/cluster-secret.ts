import { defineDiagnosis, failure, type Place } from '@tiphys/diagnosis';
import type { ClusterConfig, KubeObject } from '@tiphys/kubernetes';
import { admittedExec } from './exec-providers.ts';

const clusterSecretInvalid = defineDiagnosis('ClusterSecretInvalid', 'A cluster Secret cannot be read', 'C17');

/** The plain text of a key of a Secret's data; empty if absent. */
export function secretText(secret: KubeObject, key: string): string {
  const encoded = ((secret.data ?? {}) as Record<string, string>)[key];
  return encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
}

interface SecretConfig {
  username?: string;
  password?: string;
  bearerToken?: string;
  tlsClientConfig?: { insecure?: boolean; serverName?: string; caData?: string; certData?: string; keyData?: string };
  execProviderConfig?: {
    command?: string;
    args?: string[];
    env?: Record<string, string>;
    apiVersion?: string;
    installHint?: string;
  };
  awsAuthConfig?: { clusterName?: string; roleARN?: string; profile?: string };
  proxyUrl?: string;
}

/**
 * The connection that a cluster Secret describes (upstream form: keys server, name, config).
 * Throws a diagnosis that names the Secret and the key; never shows a value of `config`.
 */
export function clusterConfigOf(secret: KubeObject, execProviders: readonly string[] = []): ClusterConfig {
  const place = { object: `Secret ${secret.metadata.namespace}/${secret.metadata.name}`, field: 'data.config' };
  let config: SecretConfig;
  try {
    config = JSON.parse(secretText(secret, 'config') || '{}') as SecretConfig;
  } catch {
    throw failure(clusterSecretInvalid, {
      message: 'The configuration of the cluster is not valid JSON',
      place,
      remedies: ['Register the cluster again with `argocd cluster add`'],
    });
  }
  const [server, name] = [secretText(secret, 'server'), secretText(secret, 'name')];
  return clusterConfig({ server, name, config, place, execProviders });
}

/** The connection that `config` of a cluster (upstream's `ClusterConfig`) describes. */
export function clusterConfig({
  server,
  name,
  config,
  place,
  execProviders,
}: {
  server: string;
  name?: string;
  config: SecretConfig;
  place: Place;
  /** Programs that `execProviderConfig` may name, besides the usual. */
  execProviders: readonly string[];
}): ClusterConfig {
  const tls = config.tlsClientConfig;
  const decode = (text: string | undefined) =>
    text === undefined ? undefined : Buffer.from(text, 'base64').toString('utf8');
  return compact({
    server: server.replace(/(?<!\/)\/+$/, ''),
    name: name || undefined,
    bearerToken: config.bearerToken || undefined,
    username: config.username || undefined,
    password: config.password || undefined,
    proxyUrl: config.proxyUrl || undefined,
    exec: config.awsAuthConfig
      ? awsPlugin(config.awsAuthConfig, place)
      : config.execProviderConfig?.command
        ? admittedExec(
            compact({ ...config.execProviderConfig, command: config.execProviderConfig.command }),
            execProviders,
            place,
          )
        : undefined,
    tls:
      tls &&
      compact({
        insecure: tls.insecure,
        serverName: tls.serverName || undefined,
        ca: decode(tls.caData),
        cert: decode(tls.certData),
        key: decode(tls.keyData),
      }),
  }) as unknown as ClusterConfig;
}

function compact<T extends object>(record: T): T {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as T;
}

/** `awsAuthConfig` asks for a token of EKS; the AWS command line makes it, with whatever credentials the process has. */
function awsPlugin(
  { clusterName, roleARN, profile }: NonNullable<SecretConfig['awsAuthConfig']>,
  place: Place,
): NonNullable<ClusterConfig['exec']> {
  if (!clusterName)
    throw failure(clusterSecretInvalid, {
      message: 'awsAuthConfig names no cluster',
      place: { ...place, field: 'data.config awsAuthConfig.clusterName' },
      remedies: ['Set clusterName to the name of the EKS cluster'],
    });
  return {
    apiVersion: 'client.authentication.k8s.io/v1beta1',
    command: 'aws',
    args: [
      'eks',
      'get-token',
      '--output',
      'json',
      `--cluster-name=${clusterName}`,
      ...(roleARN ? [`--role-arn=${roleARN}`] : []),
      ...(profile ? [`--profile=${profile}`] : []),
    ],
    installHint: 'Install the AWS command line (aws), or use execProviderConfig or a bearerToken',
  };
}
