import { type Diagnosis, diagnose, diagnosisOf } from '@tiphys/diagnosis';
import { parseYaml } from '@tiphys/yaml';
import { durationSeconds } from '../settings/duration.ts';
import { extensionInvalid } from './diagnoses.ts';
import { isReservedHeader } from './header-names.ts';

/** What requests below `/extensions/NAME` are handed on to. */
export interface ProxyExtension {
  readonly name: string;
  /** The only one, or that of the application's cluster. */
  readonly services: readonly ProxyService[];
  /** Milliseconds. */
  readonly connectionTimeout: number;
  /** Milliseconds from what was last sent of a request until the answer begins. */
  readonly responseTimeout: number;
  /** Milliseconds. */
  readonly keepAlive: number;
  /** Milliseconds. */
  readonly idleConnectionTimeout: number;
  readonly maxIdleConnections: number;
}

export interface ProxyService {
  readonly url: URL;
  /** Values `$key` and `$secret:key` are those of Secrets. */
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly cluster: { readonly name: string; readonly server: string } | undefined;
}

type Fields = Readonly<Record<string, unknown>>;
const prefix = 'extension.config';
const safeName = /^[A-Za-z0-9_-]+$/;

/** The extensions of argocd-cm by name, and what is wrong with those that cannot be used: `extension.config` has a list of them, `extension.config.NAME` one. */
export function readProxyExtensions(config: Readonly<Record<string, string>>): {
  extensions: ReadonlyMap<string, ProxyExtension>;
  problems: readonly Diagnosis[];
} {
  const extensions = new Map<string, ProxyExtension>();
  const refused = new Set<string>();
  const problems: Diagnosis[] = [];
  const attempt = (field: string, run: () => void) => {
    try {
      run();
    } catch (error) {
      problems.push(
        error instanceof Problem
          ? problemOf(error.field, error.message)
          : problemOf(field, `${field} is not YAML: ${diagnosisOf(error).message}`),
      );
    }
  };
  const add = (name: string, backend: unknown, field: string) =>
    attempt(field, () => {
      if (refused.has(name) || extensions.delete(name)) {
        refused.add(name);
        throw new Problem(field, `${field} describes the extension ${name}, which is there twice`);
      }
      extensions.set(name, readExtension(name, backend, field));
    });
  for (const field of Object.keys(config).sort()) {
    if (field !== prefix && !field.startsWith(`${prefix}.`)) continue;
    attempt(field, () => {
      const value = parseYaml(config[field] ?? '', { file: field });
      if (field !== prefix) return add(field.slice(prefix.length + 1), value, field);
      for (const [index, entry] of list(fields(value, field).extensions, `${field}.extensions`).entries()) {
        const place = `${field}.extensions[${index}]`;
        attempt(place, () => {
          const { name, backend } = fields(entry, place);
          add(text(name, `${place}.name`), backend, `${place}.backend`);
        });
      }
    });
  }
  return { extensions, problems };
}

class Problem extends Error {
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

const problemOf = (field: string, message: string) =>
  diagnose(extensionInvalid, {
    message,
    place: { object: 'ConfigMap argocd-cm', field },
    remedies: [{ text: `Correct ${field} in argocd-cm` }],
  });

function readExtension(name: string, backend: unknown, field: string): ProxyExtension {
  if (!safeName.test(name))
    throw new Problem(field, `the name ${JSON.stringify(name)} has other characters than letters, digits, - and _`);
  const values = fields(backend, field);
  const entries = list(values.services, `${field}.services`);
  if (entries.length === 0) throw new Problem(field, `the extension ${name} has no services`);
  const services = entries.map((entry, index) =>
    readService(fields(entry, `${field}.services[${index}]`), `${field}.services[${index}]`),
  );
  const unplaced = services.findIndex(({ cluster }) => !cluster);
  if (services.length > 1 && unplaced >= 0)
    throw new Problem(
      `${field}.services[${unplaced}].cluster`,
      `${field}.services[${unplaced}] has no cluster, which tells several services apart`,
    );
  return {
    name,
    services,
    connectionTimeout: milliseconds(values.connectionTimeout, 2000, `${field}.connectionTimeout`),
    responseTimeout: milliseconds(values.responseTimeout, 60_000, `${field}.responseTimeout`),
    keepAlive: milliseconds(values.keepAlive, 15_000, `${field}.keepAlive`),
    idleConnectionTimeout: milliseconds(values.idleConnectionTimeout, 60_000, `${field}.idleConnectionTimeout`),
    maxIdleConnections: count(values.maxIdleConnections, 30, `${field}.maxIdleConnections`),
  };
}

function readService(values: Fields, field: string): ProxyService {
  const address = text(values.url, `${field}.url`);
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new Problem(`${field}.url`, `${field}.url is not an address that begins with http:// or https://`);
  return {
    url,
    headers: list(values.headers, `${field}.headers`).map((entry, index) => {
      const place = `${field}.headers[${index}]`;
      const header = fields(entry, place);
      const name = text(header.name, `${place}.name`);
      if (isReservedHeader(name)) throw new Problem(`${place}.name`, `the header ${name} is set by the server itself`);
      if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
        throw new Problem(`${place}.name`, `${place}.name is not the name of a header`);
      return { name, value: text(header.value, `${place}.value`) };
    }),
    cluster: values.cluster === undefined || values.cluster === null ? undefined : readCluster(values.cluster, field),
  };
}

function readCluster(value: unknown, field: string): { name: string; server: string } {
  const { name, server } = fields(value, `${field}.cluster`);
  const found = {
    name: name === undefined ? '' : text(name, `${field}.cluster.name`),
    server: server === undefined ? '' : text(server, `${field}.cluster.server`),
  };
  if (!found.name && !found.server)
    throw new Problem(`${field}.cluster`, `${field}.cluster has neither a name nor a server`);
  return found;
}

function fields(value: unknown, field: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Problem(field, `${field} is not a map`);
  return value as Fields;
}

function list(value: unknown, field: string): unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new Problem(field, `${field} is not a list`);
  return value;
}

function text(value: unknown, field: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new Problem(field, `${field} is not a text`);
}

function milliseconds(value: unknown, usual: number, field: string): number {
  if (value === undefined || value === 0) return usual;
  const seconds = durationSeconds(String(value));
  if (seconds === undefined || seconds < 0) throw new Problem(field, `${field} is not a duration such as 2s`);
  return seconds === 0 ? usual : seconds * 1000;
}

function count(value: unknown, usual: number, field: string): number {
  if (value === undefined || value === 0) return usual;
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw new Problem(field, `${field} is not a number`);
  return value as number;
}
