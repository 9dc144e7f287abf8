import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Access } from '@tiphys/registry';
import { type JsonValue, parseYaml, printYaml } from '@tiphys/yaml';
import { FlagError } from './flags.ts';

/** A repository that was added by name. */
export interface RepositoryEntry {
  readonly name: string;
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly certFile: string;
  readonly keyFile: string;
  readonly caFile: string;
  readonly insecureSkipTlsVerify: boolean;
  readonly passCredentialsAll: boolean;
}

/** repositories.yaml: the repositories that helm knows by name. */
export class RepositoriesFile {
  readonly path: string;
  readonly #apiVersion: string;
  readonly #generated: string;
  entries: RepositoryEntry[];

  /** A file that is not there is an empty one. Throws for one that can't be read. */
  constructor(path: string) {
    this.path = path;
    const value = existsSync(path) ? parseYaml(readFileSync(path), { file: path }) : null;
    const fields = tableOf(value);
    const list = fields.repositories ?? [];
    if (!Array.isArray(list)) throw new FlagError(`${path}: repositories is not a list`);
    this.#apiVersion = textOf(fields.apiVersion);
    this.#generated = textOf(fields.generated) || '0001-01-01T00:00:00Z';
    this.entries = list.filter((item) => item !== null).map((item) => entryOf(tableOf(item)));
  }

  get(name: string): RepositoryEntry | undefined {
    return this.entries.find((entry) => entry.name === name);
  }

  /** Puts an entry in the place of the one of its name, or at the end. */
  update(entry: RepositoryEntry): void {
    const at = this.entries.findIndex(({ name }) => name === entry.name);
    if (at < 0) this.entries.push(entry);
    else this.entries[at] = entry;
  }

  write(): void {
    const text = printYaml({
      apiVersion: this.#apiVersion,
      generated: this.#generated,
      repositories: this.entries.map((entry) => ({
        caFile: entry.caFile,
        certFile: entry.certFile,
        insecure_skip_tls_verify: entry.insecureSkipTlsVerify,
        keyFile: entry.keyFile,
        name: entry.name,
        pass_credentials_all: entry.passCredentialsAll,
        password: entry.password,
        url: entry.url,
        username: entry.username,
      })),
    });
    mkdirSync(dirname(this.path), { recursive: true });
    const draft = `${this.path}.${process.pid}.tmp`;
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, this.path);
  }
}

/** How an added repository is reached. Throws if a file it names can't be read. */
export function accessOfEntry(entry: RepositoryEntry): Access {
  return {
    ...(entry.username && entry.password ? { username: entry.username, password: entry.password } : {}),
    ...(entry.passCredentialsAll ? { passCredentials: true } : {}),
    ...(entry.insecureSkipTlsVerify ? { insecure: true } : {}),
    ...tlsFiles(entry.certFile, entry.keyFile, entry.caFile),
    from: `repository ${entry.name}`,
  };
}

/** The certificates of files; a certificate without its key counts for nothing, as in helm. */
export function tlsFiles(certFile: string, keyFile: string, caFile: string): Pick<Access, 'cert' | 'key' | 'ca'> {
  const read = (path: string): string => {
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const reason = code === 'ENOENT' ? 'no such file or directory' : String(code);
      throw new FlagError(`can't create TLS config for client: can't load certificate: open ${path}: ${reason}`);
    }
  };
  return {
    ...(certFile && keyFile ? { cert: read(certFile), key: read(keyFile) } : {}),
    ...(caFile ? { ca: read(caFile) } : {}),
  };
}

/** Where the index of an added repository is kept. */
export function cachedIndexPath(cache: string, name: string): string {
  return join(cache, `${name}-index.yaml`);
}

/** Where the names of its charts are kept, for completion. */
export function cachedChartsPath(cache: string, name: string): string {
  return join(cache, `${name}-charts.txt`);
}

function entryOf(fields: Readonly<Record<string, JsonValue>>): RepositoryEntry {
  return {
    name: textOf(fields.name),
    url: textOf(fields.url),
    username: textOf(fields.username),
    password: textOf(fields.password),
    certFile: textOf(fields.certFile),
    keyFile: textOf(fields.keyFile),
    caFile: textOf(fields.caFile),
    insecureSkipTlsVerify: fields.insecure_skip_tls_verify === true,
    passCredentialsAll: fields.pass_credentials_all === true,
  };
}

function tableOf(value: JsonValue | undefined): Readonly<Record<string, JsonValue>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

function textOf(value: JsonValue | undefined): string {
  return value === undefined || value === null || typeof value === 'object' ? '' : String(value);
}
