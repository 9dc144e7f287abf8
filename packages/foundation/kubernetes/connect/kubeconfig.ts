import { readFileSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { type DiagnosisError, failure } from '@tiphys/diagnosis';
import { parseDocuments, printYaml, type YamlDocument, YamlError } from '@tiphys/yaml';
import type { ClusterConfig } from './client.ts';
import { kubeconfigInvalid } from './diagnoses.ts';

export interface KubeconfigOptions {
  /** Context to take; `current-context` if absent. */
  context?: string;
  /** Cluster and user to take instead of those of the context. */
  cluster?: string;
  user?: string;
  /** Folder to which file names in the text are relative; the process' working directory if absent. */
  baseDir?: string;
  /** Name of the file, for diagnoses. */
  file?: string;
}

interface NamedEntry {
  name?: string;
  cluster?: Record<string, unknown>;
  user?: Record<string, unknown>;
  context?: Record<string, unknown>;
}

type Section = 'clusters' | 'users' | 'contexts';

/** What one context of a kubeconfig says. Certificates in files are read now. Throws diagnoses that name file and line. */
export function loadKubeconfig(text: string, options: KubeconfigOptions = {}): ClusterConfig {
  return new KubeconfigReader(text, options).read();
}

/** Names of the contexts in a kubeconfig, and which is current. */
export function kubeconfigContexts(text: string, file?: string): { current?: string; names: string[] } {
  return new KubeconfigReader(text, file === undefined ? {} : { file }).contexts();
}

/** A kubeconfig with one context that says the same as the configuration. */
export function formatKubeconfig(config: ClusterConfig): string {
  const name = config.name ?? 'tiphys';
  const base64 = (pem: string) => Buffer.from(pem).toString('base64');
  const { tls, exec } = config;
  const cluster = {
    server: config.server,
    ...(tls?.ca ? { 'certificate-authority-data': base64(tls.ca) } : {}),
    ...(tls?.insecure ? { 'insecure-skip-tls-verify': true } : {}),
    ...(tls?.serverName ? { 'tls-server-name': tls.serverName } : {}),
    ...(config.proxyUrl ? { 'proxy-url': config.proxyUrl } : {}),
  };
  const user = {
    ...(tls?.cert ? { 'client-certificate-data': base64(tls.cert) } : {}),
    ...(tls?.key ? { 'client-key-data': base64(tls.key) } : {}),
    ...(config.bearerToken ? { token: config.bearerToken } : {}),
    ...(config.tokenFile ? { tokenFile: config.tokenFile } : {}),
    ...(config.username === undefined ? {} : { username: config.username, password: config.password ?? '' }),
    ...(exec
      ? {
          exec: {
            apiVersion: exec.apiVersion ?? 'client.authentication.k8s.io/v1',
            command: exec.command,
            ...(exec.args ? { args: exec.args } : {}),
            ...(exec.env ? { env: Object.entries(exec.env).map(([key, value]) => ({ name: key, value })) } : {}),
            ...(exec.installHint ? { installHint: exec.installHint } : {}),
            interactiveMode: 'Never',
          },
        }
      : {}),
    ...(config.impersonate
      ? {
          as: config.impersonate.name,
          ...(config.impersonate.groups ? { 'as-groups': config.impersonate.groups } : {}),
        }
      : {}),
  };
  return printYaml({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster }],
    users: [{ name, user }],
    contexts: [
      { name, context: { cluster: name, user: name, ...(config.namespace ? { namespace: config.namespace } : {}) } },
    ],
  });
}

const serviceAccountDir = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The cluster that this process runs in as a pod, by its service account; undefined outside of a cluster. */
export function inClusterConfig(
  env: NodeJS.ProcessEnv = process.env,
  dir = serviceAccountDir,
): ClusterConfig | undefined {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  if (!host || !port) return undefined;
  const read = (name: string) => {
    try {
      return readFileSync(`${dir}/${name}`, 'utf8').trim();
    } catch (error) {
      throw failure(
        kubeconfigInvalid,
        {
          message: `This process runs in a cluster, but its service account file ${name} cannot be read`,
          place: { file: `${dir}/${name}` },
          evidence: { error: error instanceof Error ? error.message : String(error) },
          remedies: ['Do not set automountServiceAccountToken: false on the pod'],
        },
        { cause: error },
      );
    }
  };
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    name: 'in-cluster',
    tls: { ca: read('ca.crt') },
    bearerToken: read('token'),
    tokenFile: `${dir}/token`,
    namespace: read('namespace'),
  };
}

class KubeconfigReader {
  readonly #options: KubeconfigOptions;
  readonly #document: YamlDocument | undefined;
  readonly #root: Record<string, unknown>;

  constructor(text: string, options: KubeconfigOptions) {
    this.#options = options;
    this.#document = this.#parse(text);
    const root: unknown = this.#document?.value;
    if (typeof root !== 'object' || root === null || Array.isArray(root)) {
      throw this.#fail(
        'The kubeconfig is empty or not a mapping',
        [],
        {},
        'Write clusters, users, contexts and current-context',
      );
    }
    this.#root = root as Record<string, unknown>;
  }

  #parse(text: string): YamlDocument | undefined {
    try {
      return parseDocuments(text).documents[0];
    } catch (error) {
      if (!(error instanceof YamlError)) throw error;
      const { place, remedies, evidence } = error.diagnosis;
      throw failure(
        kubeconfigInvalid,
        {
          message: `The kubeconfig is not YAML: ${error.goMessage.replace(/^yaml: /, '')}`,
          place: this.#place(place?.line),
          evidence,
          remedies,
        },
        { cause: error },
      );
    }
  }

  contexts(): { current?: string; names: string[] } {
    const current = this.#root['current-context'];
    const names = this.#entries('contexts').map((entry) => String(entry.name));
    return { ...(typeof current === 'string' && current ? { current } : {}), names };
  }

  read(): ClusterConfig {
    const { current, names } = this.contexts();
    const contextName = this.#options.context ?? current;
    if (!contextName) {
      throw this.#fail(
        'The kubeconfig has no current-context, and none was asked for',
        ['current-context'],
        { contexts: names.join(', ') },
        `Set current-context, or choose one of: ${names.join(', ') || 'none there'}`,
      );
    }
    const [context, contextPath] = this.#entry('contexts', contextName, 'context', ['current-context']);
    const clusterName = this.#options.cluster ?? this.#text(context, 'cluster', contextPath);
    const userName = this.#options.user ?? this.#text(context, 'user', contextPath);
    if (!clusterName) throw this.#fail(`Context ${contextName} names no cluster`, contextPath, {}, 'Set its cluster');
    const [cluster, clusterPath] = this.#entry('clusters', clusterName, 'cluster', [...contextPath, 'cluster']);
    const [user, userPath] = userName
      ? this.#entry('users', userName, 'user', [...contextPath, 'user'])
      : [{}, contextPath];
    const namespace = this.#text(context, 'namespace', contextPath);
    return {
      name: contextName,
      ...this.#cluster(cluster, clusterName, clusterPath),
      ...this.#user(user, userPath, this.#tls(cluster, clusterPath)),
      ...(namespace ? { namespace } : {}),
    };
  }

  #cluster(
    cluster: Record<string, unknown>,
    name: string,
    path: (string | number)[],
  ): { server: string; proxyUrl?: string } {
    const server = this.#text(cluster, 'server', path);
    if (!server) throw this.#fail(`Cluster ${name} has no server`, path, {}, 'Set its server URL');
    if (!/^https?:\/\//.test(server) || !URL.canParse(server)) {
      throw this.#fail(
        `The server of cluster ${name} is not an http(s) URL`,
        [...path, 'server'],
        { found: server },
        'Write it as https://host:port',
      );
    }
    const proxyUrl = this.#text(cluster, 'proxy-url', path);
    return { server, ...(proxyUrl ? { proxyUrl } : {}) };
  }

  #tls(cluster: Record<string, unknown>, path: (string | number)[]): NonNullable<ClusterConfig['tls']> {
    const ca = this.#pem(cluster, 'certificate-authority', path);
    const serverName = this.#text(cluster, 'tls-server-name', path);
    const insecure = cluster['insecure-skip-tls-verify'] === true;
    if (insecure && ca) {
      throw this.#fail(
        'The cluster has both a CA and insecure-skip-tls-verify',
        [...path, 'insecure-skip-tls-verify'],
        {},
        'Remove one of them',
      );
    }
    return { ...(ca ? { ca } : {}), ...(serverName ? { serverName } : {}), ...(insecure ? { insecure } : {}) };
  }

  #user(
    user: Record<string, unknown>,
    path: (string | number)[],
    clusterTls: NonNullable<ClusterConfig['tls']>,
  ): Omit<ClusterConfig, 'server'> {
    const cert = this.#pem(user, 'client-certificate', path);
    const key = this.#pem(user, 'client-key', path);
    if (Boolean(cert) !== Boolean(key)) {
      throw this.#fail(
        `The user has a client ${cert ? 'certificate without key' : 'key without certificate'}`,
        path,
        {},
        `Add client-${cert ? 'key' : 'certificate'}-data`,
      );
    }
    if (user['auth-provider']) {
      throw this.#fail(
        'The user has an auth-provider, which Kubernetes removed in 1.26',
        [...path, 'auth-provider'],
        {},
        'Use an exec plugin (kubelogin, gke-gcloud-auth-plugin) instead',
      );
    }
    const tls = { ...clusterTls, ...(cert ? { cert } : {}), ...(key ? { key } : {}) };
    const token = this.#text(user, 'token', path);
    const tokenFile = this.#text(user, 'tokenFile', path);
    const username = this.#text(user, 'username', path);
    const password = this.#text(user, 'password', path);
    const as = this.#text(user, 'as', path);
    const groups = user['as-groups'];
    const exec = user.exec ? this.#exec(user.exec, [...path, 'exec']) : undefined;
    return {
      ...(Object.keys(tls).length > 0 ? { tls } : {}),
      ...(token ? { bearerToken: token } : {}),
      ...(tokenFile ? { tokenFile: this.#resolve(tokenFile) } : {}),
      ...(username ? { username, password: password ?? '' } : {}),
      ...(exec ? { exec } : {}),
      ...(as ? { impersonate: { name: as, ...(Array.isArray(groups) ? { groups: groups.map(String) } : {}) } } : {}),
    };
  }

  #exec(value: unknown, path: (string | number)[]): NonNullable<ClusterConfig['exec']> {
    const exec = this.#mapping(value, path);
    const command = this.#text(exec, 'command', path);
    if (!command) throw this.#fail('The exec plugin has no command', path, {}, 'Set its command');
    const env = (Array.isArray(exec.env) ? exec.env : []) as { name?: string; value?: string }[];
    const args = Array.isArray(exec.args) ? exec.args.map(String) : undefined;
    const apiVersion = this.#text(exec, 'apiVersion', path);
    const installHint = this.#text(exec, 'installHint', path);
    return {
      command: command.includes('/') ? this.#resolve(command) : command,
      ...(apiVersion ? { apiVersion } : {}),
      ...(args ? { args } : {}),
      ...(env.length > 0
        ? { env: Object.fromEntries(env.map((entry) => [String(entry.name), String(entry.value ?? '')])) }
        : {}),
      ...(installHint ? { installHint } : {}),
    };
  }

  /** PEM from `<field>-data` (base64), which wins, or from the file that `<field>` names. */
  #pem(from: Record<string, unknown>, field: string, path: (string | number)[]): string | undefined {
    const data = this.#text(from, `${field}-data`, path);
    if (data) {
      const pem = Buffer.from(data, 'base64').toString('utf8');
      if (pem.includes('-----BEGIN')) return pem;
      throw this.#fail(
        `${field}-data is not PEM in base64`,
        [...path, `${field}-data`],
        { starts: `${data.slice(0, 12)}…` },
        'Encode the PEM file with base64 -w0',
      );
    }
    const file = this.#text(from, field, path);
    if (!file) return undefined;
    try {
      return readFileSync(this.#resolve(file), 'utf8');
    } catch (error) {
      throw this.#fail(
        `The file of ${field} cannot be read: ${this.#resolve(file)}`,
        [...path, field],
        { error: error instanceof Error ? error.message : String(error) },
        'Correct the file name (relative names count from the folder of the kubeconfig)',
      );
    }
  }

  #resolve(file: string): string {
    return isAbsolute(file) ? file : resolve(this.#options.baseDir ?? '.', file);
  }

  #entries(section: Section): NamedEntry[] {
    const value = this.#root[section] ?? [];
    if (!Array.isArray(value))
      throw this.#fail(`${section} is not a list`, [section], {}, 'Write a list of entries with a name');
    return value as NamedEntry[];
  }

  #entry(
    section: Section,
    name: string,
    part: 'cluster' | 'user' | 'context',
    from: (string | number)[],
  ): [Record<string, unknown>, (string | number)[]] {
    const entries = this.#entries(section);
    const index = entries.findIndex((entry) => entry?.name === name);
    if (index < 0) {
      const known = entries.map((entry) => entry?.name).join(', ');
      throw this.#fail(
        `The kubeconfig has no ${part} ${name}`,
        from,
        { known: known || 'none' },
        `Use one of ${section}, or add it`,
      );
    }
    const path = [section, index, part];
    return [this.#mapping(entries[index]?.[part] ?? {}, path), path];
  }

  #mapping(value: unknown, path: (string | number)[]): Record<string, unknown> {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    throw this.#fail(`${path.join('.')} is not a mapping`, path, {}, 'Correct it');
  }

  #text(from: Record<string, unknown>, field: string, path: (string | number)[]): string | undefined {
    const value = from[field];
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value === 'string') return value;
    throw this.#fail(`${field} is not a string`, [...path, field], { found: typeof value }, 'Quote the value');
  }

  #fail(message: string, path: (string | number)[], evidence: Record<string, string>, remedy: string): DiagnosisError {
    return failure(kubeconfigInvalid, {
      message,
      place: {
        ...this.#place(path.length > 0 ? this.#document?.lineOf(path) : undefined),
        ...(path.length > 0 ? { field: path.join('.').replace(/\.(\d+)/g, '[$1]') } : {}),
      },
      evidence,
      remedies: [remedy],
    });
  }

  #place(line: number | undefined): { file?: string; line?: number } {
    const { file } = this.#options;
    return { ...(file ? { file } : {}), ...(line ? { line } : {}) };
  }
}
