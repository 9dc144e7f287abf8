import { parse } from 'yaml';
import { t } from '../i18n/texts.ts';

export interface KubeconfigContext {
  readonly name: string;
  readonly server: string;
  /** What of the configuration the control plane can use; undefined with why it cannot. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly problem?: string;
}

type Entry = { name?: unknown; context?: Map; cluster?: Map; user?: Map };
type Map = Readonly<Record<string, unknown>>;

/** The contexts of a kubeconfig's text; throws with the reason if it is none. */
export function readKubeconfig(text: string): KubeconfigContext[] {
  const value = parse(text, { maxAliasCount: 20 }) as {
    contexts?: Entry[];
    clusters?: Entry[];
    users?: Entry[];
  } | null;
  if (!Array.isArray(value?.contexts) || value.contexts.length === 0) throw new Error('It has no contexts');
  const { clusters = [], users = [] } = value;
  return value.contexts.map(({ name, context = {} }) => {
    const cluster = clusters.find((one) => one.name === context.cluster)?.cluster ?? {};
    const user = users.find((one) => one.name === context.user)?.user ?? {};
    return { name: String(name ?? ''), server: String(cluster.server ?? ''), ...configOf(cluster, user) };
  });
}

function configOf(cluster: Map, user: Map): Pick<KubeconfigContext, 'config' | 'problem'> {
  if (!cluster.server) return { problem: 'The cluster of this context has no server' };
  for (const [source, field] of [
    [cluster, 'certificate-authority'],
    [user, 'client-certificate'],
    [user, 'client-key'],
    [user, 'tokenFile'],
  ] as const)
    if (source[field])
      return {
        problem: t('{field} names a file of your machine: use kubectl config view --flatten --minify --raw', { field }),
      };
  const { exec } = user as { exec?: Map };
  if (!exec && !user.token && !user['client-certificate-data'] && !user.username)
    return { problem: 'Its user has no credentials that another machine could use' };
  const tlsClientConfig = {
    insecure: cluster['insecure-skip-tls-verify'] === true,
    ...textOf('caData', cluster['certificate-authority-data']),
    ...textOf('certData', user['client-certificate-data']),
    ...textOf('keyData', user['client-key-data']),
    ...textOf('serverName', cluster['tls-server-name']),
  };
  return {
    config: {
      ...textOf('bearerToken', user.token),
      ...textOf('username', user.username),
      ...textOf('password', user.password),
      ...textOf('proxyUrl', cluster['proxy-url']),
      ...(exec
        ? {
            execProviderConfig: {
              command: exec.command,
              args: exec.args ?? [],
              apiVersion: exec.apiVersion,
              env: environment(exec.env),
            },
          }
        : {}),
      tlsClientConfig,
    },
  };
}

const textOf = (name: string, value: unknown) => (typeof value === 'string' && value !== '' ? { [name]: value } : {});

function environment(list: unknown): Record<string, string> {
  return Object.fromEntries(
    (Array.isArray(list) ? (list as { name: string; value: string }[]) : []).map(({ name, value }) => [name, value]),
  );
}
