import { X509Certificate } from 'node:crypto';
import { names } from '@tiphys/api';
import { compileGlob } from '@tiphys/glob';
import { Code, invalidArgument, RpcError } from '../rpc/rpc-error.ts';
import type { ControlPlane } from '../settings/control-plane.ts';
import { assertHostKey, fingerprint, formatHostKeys, type HostKey, parseHostKeys } from './host-keys.ts';

/** A certificate or host key in Argo CD's JSON. */
export interface CertificateJson {
  serverName?: string | undefined;
  certType?: string | undefined;
  certSubType?: string | undefined;
  /** Base64 of PEM, or of the base64 text of a host key. */
  certData?: string | undefined;
  certInfo?: string | undefined;
}

export interface CertificateQuery {
  hostNamePattern?: string | undefined;
  certType?: string | undefined;
  certSubType?: string | undefined;
}

const pemBlocks = /-----BEGIN CERTIFICATE-----(?:(?!-----)[\s\S])+-----END CERTIFICATE-----/g;

/** TLS certificates and SSH host keys of repository servers, kept in Argo CD's ConfigMaps. */
export class Certificates {
  readonly #plane: ControlPlane;

  constructor(plane: ControlPlane) {
    this.#plane = plane;
  }

  list(query: CertificateQuery): CertificateJson[] {
    const keys = wants(query, 'ssh') ? this.#hostKeys().filter((key) => fitsKey(query, key)) : [];
    const bundles = wants(query, 'https')
      ? Object.entries(this.#plane.configMap(names.configMaps.tlsCertificates))
      : [];
    return [
      ...keys.map(keyJson),
      ...bundles.filter(([host]) => fitsHost(query, host)).flatMap(([host, pem]) => pemJson(host, pem)),
    ];
  }

  /** Adds what is new; a different key or certificate of the same host needs `upsert`. Returns what was stored. */
  async create(items: readonly CertificateJson[], upsert: boolean): Promise<CertificateJson[]> {
    const created: CertificateJson[] = [];
    for (const item of items) {
      if (item.certType === 'ssh') created.push(...(await this.#addKey(item, upsert)));
      else if (item.certType === 'https') created.push(...(await this.#addBundle(item, upsert)));
      else throw new RpcError(Code.Unknown, `unknown certificate type: ${item.certType ?? ''}`);
    }
    return created;
  }

  async remove(query: CertificateQuery): Promise<CertificateJson[]> {
    const removed: CertificateJson[] = [];
    if (wants(query, 'ssh')) {
      await this.#plane.change('ConfigMap', names.configMaps.knownHosts, (data) => {
        const keys = parseHostKeys(data[names.knownHostsKey] ?? '');
        const gone = keys.filter((key) => fitsKey(query, key));
        removed.push(...gone.map(keyJson));
        return gone.length === 0
          ? undefined
          : { ...data, [names.knownHostsKey]: formatHostKeys(keys.filter((key) => !gone.includes(key))) };
      });
    }
    if (wants(query, 'https')) {
      await this.#plane.change('ConfigMap', names.configMaps.tlsCertificates, (data) => {
        const gone = Object.keys(data).filter((host) => fitsHost(query, host));
        removed.push(...gone.flatMap((host) => pemJson(host, data[host] as string)));
        return gone.length === 0
          ? undefined
          : Object.fromEntries(Object.entries(data).filter(([host]) => !gone.includes(host)));
      });
    }
    return removed;
  }

  #hostKeys(): HostKey[] {
    return parseHostKeys(this.#plane.configMap(names.configMaps.knownHosts)[names.knownHostsKey] ?? '');
  }

  async #addKey(item: CertificateJson, upsert: boolean): Promise<CertificateJson[]> {
    const key: HostKey = {
      host: item.serverName ?? '',
      type: item.certSubType ?? '',
      data: textOf(item.certData).trim(),
    };
    assertHostName(/^\[(.*)\]:\d+$/.exec(key.host)?.[1] ?? key.host);
    assertHostKey(key);
    let stored = false;
    await this.#plane.change('ConfigMap', names.configMaps.knownHosts, (data) => {
      const keys = parseHostKeys(data[names.knownHostsKey] ?? '');
      const existing = keys.find(({ host, type }) => host === key.host && type === key.type);
      if (existing?.data === key.data) return undefined;
      if (existing && !upsert)
        throw new RpcError(
          Code.Unknown,
          `key for '${key.host}' (subtype: '${key.type}') already exists, and upsert was not specified`,
        );
      stored = true;
      return {
        ...data,
        [names.knownHostsKey]: formatHostKeys(
          existing ? keys.map((other) => (other === existing ? key : other)) : [...keys, key],
        ),
      };
    });
    return stored ? [{ ...item, certInfo: fingerprint(key).replace(/^SHA256:/, '') }] : [];
  }

  async #addBundle(item: CertificateJson, upsert: boolean): Promise<CertificateJson[]> {
    const host = item.serverName ?? '';
    assertHostName(host);
    const pem = textOf(item.certData);
    const blocks = pem.match(pemBlocks) ?? [];
    if (blocks.length === 0) throw new RpcError(Code.Unknown, 'no valid PEM data received');
    for (const block of blocks) parseCertificate(block);
    let stored = false;
    await this.#plane.change('ConfigMap', names.configMaps.tlsCertificates, (data) => {
      if (data[host] === pem) return undefined;
      if (data[host] !== undefined && !upsert)
        throw new RpcError(
          Code.Unknown,
          `TLS certificate for server '${host}' already exists, and upsert was not specified`,
        );
      stored = true;
      return { ...data, [host]: pem };
    });
    return stored
      ? blocks.map((block) => ({
          serverName: host,
          certType: 'https',
          certData: Buffer.from(block).toString('base64'),
        }))
      : [];
  }
}

function textOf(base64: string | undefined): string {
  return Buffer.from(base64 ?? '', 'base64').toString('utf8');
}

function assertHostName(name: string): void {
  if (!/^[a-zA-Z0-9_]([a-zA-Z0-9._-]*[a-zA-Z0-9_])?$|^[0-9a-fA-F:]+$/.test(name))
    throw new RpcError(Code.Unknown, `invalid hostname in request: ${name}`);
}

function wants({ certType }: CertificateQuery, type: 'ssh' | 'https'): boolean {
  return !certType || certType === '*' || certType === type || (type === 'https' && certType === 'tls');
}

function fitsHost({ hostNamePattern }: CertificateQuery, host: string): boolean {
  return !hostNamePattern || compileGlob(hostNamePattern)(host);
}

function fitsKey(query: CertificateQuery, key: HostKey): boolean {
  return (
    fitsHost(query, key.host) && (!query.certSubType || query.certSubType === '*' || query.certSubType === key.type)
  );
}

function keyJson(key: HostKey): CertificateJson {
  return { serverName: key.host, certType: 'ssh', certSubType: key.type, certInfo: fingerprint(key) };
}

function pemJson(host: string, pem: string): CertificateJson[] {
  return (pem.match(pemBlocks) ?? []).map((block) => ({ serverName: host, certType: 'https', ...describe(block) }));
}

/** A block that does not parse is listed as invalid, so that it can be found and removed. */
function describe(block: string): { certSubType: string; certInfo: string } {
  try {
    const certificate = parseCertificate(block);
    return {
      certSubType:
        certificate.publicKey.asymmetricKeyType === 'ec' ? 'ecdsa' : (certificate.publicKey.asymmetricKeyType ?? ''),
      certInfo: certificate.subject.split('\n').reverse().join(','),
    };
  } catch (error) {
    return { certSubType: 'invalid', certInfo: error instanceof Error ? error.message : String(error) };
  }
}

function parseCertificate(block: string): X509Certificate {
  try {
    return new X509Certificate(block);
  } catch (error) {
    throw invalidArgument(
      `a PEM block is no X.509 certificate: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
