import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { failure } from '@tiphys/diagnosis';
import type { ClusterConfig } from './client.ts';
import type { Clock } from './clock.ts';
import { credentialPluginFailed } from './diagnoses.ts';

/** What identifies us to a cluster at one moment. */
export interface Credential {
  /** Value of the Authorization header; absent for client certificates and anonymous access. */
  authorization?: string;
  /** Client certificate and key in PEM, if they come from an exec plugin. */
  cert?: string;
  key?: string;
}

/** Gives the credential for each request; caches what plugins and files give until it expires or is refused. */
export class CredentialSource {
  readonly #config: ClusterConfig;
  readonly #clock: Clock;
  #cached: { credential: Credential; until: number } | undefined;
  #pending: Promise<Credential> | undefined;
  readonly #fixed: Credential | undefined;

  constructor(config: ClusterConfig, clock: Clock) {
    this.#config = config;
    this.#clock = clock;
    if (!config.exec && !config.tokenFile) this.#fixed = fixedCredential(config);
  }

  /** The credential without waiting, if there is a valid one. */
  get ready(): Credential | undefined {
    if (this.#fixed) return this.#fixed;
    return this.#cached && this.#clock.now() < this.#cached.until ? this.#cached.credential : undefined;
  }

  get(): Promise<Credential> {
    const ready = this.ready;
    if (ready) return Promise.resolve(ready);
    this.#pending ??= this.#load().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  /** Forgets a credential that the cluster refused; false if there is no other to be had. */
  refuse(): boolean {
    if (this.#fixed || !this.#cached) return false;
    this.#cached = undefined;
    return true;
  }

  async #load(): Promise<Credential> {
    const { exec, tokenFile } = this.#config;
    if (exec) {
      const { credential, until } = await runPlugin(exec, this.#config);
      this.#cached = { credential, until };
      return credential;
    }
    const credential = await readTokenFile(tokenFile ?? '', this.#config);
    this.#cached = { credential, until: this.#clock.now() + 60_000 };
    return credential;
  }
}

/** What a client would send as its Authorization header now; undefined for client certificates and anonymous access. */
export async function authorizationOf(config: ClusterConfig, clock: Clock): Promise<string | undefined> {
  const { authorization } = await new CredentialSource(config, clock).get();
  return authorization;
}

function fixedCredential(config: ClusterConfig): Credential {
  if (config.bearerToken) return { authorization: `Bearer ${config.bearerToken}` };
  if (config.username !== undefined) {
    return { authorization: `Basic ${Buffer.from(`${config.username}:${config.password ?? ''}`).toString('base64')}` };
  }
  return {};
}

async function readTokenFile(file: string, config: ClusterConfig): Promise<Credential> {
  try {
    await stat(file);
    return { authorization: `Bearer ${(await readFile(file, 'utf8')).trim()}` };
  } catch (error) {
    if (config.bearerToken) return { authorization: `Bearer ${config.bearerToken}` };
    throw failure(
      credentialPluginFailed,
      {
        message: `The token file ${file} cannot be read`,
        place: { file },
        evidence: { error: error instanceof Error ? error.message : String(error) },
        remedies: ['Create the file, or correct tokenFile in the kubeconfig'],
      },
      { handling: 'retryable', cause: error },
    );
  }
}

interface ExecCredential {
  status?: { token?: string; clientCertificateData?: string; clientKeyData?: string; expirationTimestamp?: string };
}

/** Runs an exec plugin as client.authentication.k8s.io says; the answer counts until shortly before its expiry. */
async function runPlugin(
  exec: NonNullable<ClusterConfig['exec']>,
  config: ClusterConfig,
): Promise<{ credential: Credential; until: number }> {
  const apiVersion = exec.apiVersion ?? 'client.authentication.k8s.io/v1';
  const info = {
    apiVersion,
    kind: 'ExecCredential',
    spec: {
      interactive: false,
      cluster: {
        server: config.server,
        ...(config.tls?.ca ? { 'certificate-authority-data': Buffer.from(config.tls.ca).toString('base64') } : {}),
        ...(config.tls?.serverName ? { 'tls-server-name': config.tls.serverName } : {}),
      },
    },
  };
  const command = [exec.command, ...(exec.args ?? [])].join(' ');
  const refuse = (message: string, detail: string, cause?: unknown) =>
    failure(
      credentialPluginFailed,
      {
        message,
        place: { remote: config.server },
        evidence: { command, detail },
        remedies: [exec.installHint ?? `Run the command by hand and correct what it says: ${exec.command}`],
      },
      { handling: 'retryable', cause },
    );
  const stdout = await new Promise<string>((resolve, reject) => {
    execFile(
      exec.command,
      exec.args ?? [],
      {
        env: { ...process.env, ...exec.env, KUBERNETES_EXEC_INFO: JSON.stringify(info) },
        timeout: 60_000,
        maxBuffer: 4 << 20,
      },
      (error, out, err) => {
        if (!error) return resolve(out);
        const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
        const message = missing
          ? `The credential plugin ${exec.command} of the cluster is not installed`
          : `The credential plugin ${exec.command} of the cluster failed`;
        reject(refuse(message, err.trim().split('\n').slice(-5).join('\n') || error.message, error));
      },
    );
  });
  let status: ExecCredential['status'];
  try {
    status = (JSON.parse(stdout) as ExecCredential).status;
  } catch (error) {
    throw refuse(`The credential plugin ${exec.command} did not print an ExecCredential`, String(error), error);
  }
  if (!status?.token && !status?.clientCertificateData) {
    throw refuse(`The credential plugin ${exec.command} gave neither a token nor a certificate`, 'status is empty');
  }
  const expiry = status.expirationTimestamp ? Date.parse(status.expirationTimestamp) : Number.NaN;
  return {
    credential: {
      ...(status.token ? { authorization: `Bearer ${status.token}` } : {}),
      ...(status.clientCertificateData ? { cert: status.clientCertificateData } : {}),
      ...(status.clientKeyData ? { key: status.clientKeyData } : {}),
    },
    until: Number.isNaN(expiry) ? Number.POSITIVE_INFINITY : expiry - 30_000,
  };
}
