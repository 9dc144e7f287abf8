import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Informer, KubeObject } from '@tiphys/kubernetes';

/** Folders that are trusted besides the ConfigMaps, as ARGOCD_TLS_DATA_PATH and ARGOCD_SSH_DATA_PATH name them; they may come and go. */
export interface TrustFolders {
  /** One file of PEM certificates a host, named by it. */
  readonly tls?: string | undefined;
  /** Has `ssh_known_hosts`. */
  readonly ssh?: string | undefined;
}

/** Files larger than this are no list of keys, in bytes. */
const largest = 5 * 1024 * 1024;

/**
 * What hosts are trusted for: `argocd-tls-certs-cm` (a PEM bundle per host) and `argocd-ssh-known-hosts-cm`, and the files
 * of the folders. Both are read as they are now.
 */
export class TrustStore {
  readonly #configMaps: Pick<Informer<KubeObject>, 'get'>;
  readonly #namespace: string;
  readonly #folders: TrustFolders;
  readonly #files = new Map<string, { readonly stamp: string; readonly text: string }>();

  constructor(configMaps: Pick<Informer<KubeObject>, 'get'>, namespace: string, folders: TrustFolders = {}) {
    this.#configMaps = configMaps;
    this.#namespace = namespace;
    this.#folders = folders;
  }

  /** The authorities and host keys for a repository's host; absent where there are none. */
  of(url: string): { ca?: string; knownHosts?: string } {
    const host = hostOf(url);
    const { tls, ssh } = this.#folders;
    const ca = joined([
      this.#data('argocd-tls-certs-cm')[host],
      tls && isFileName(host) ? this.#file(join(tls, host)) : '',
    ]);
    const knownHosts = joined([
      this.#data('argocd-ssh-known-hosts-cm').ssh_known_hosts,
      ssh ? this.#file(join(ssh, 'ssh_known_hosts')) : '',
    ]);
    return { ...(ca ? { ca } : {}), ...(knownHosts ? { knownHosts } : {}) };
  }

  #data(name: string): Record<string, string> {
    return (this.#configMaps.get(this.#namespace, name)?.data ?? {}) as Record<string, string>;
  }

  /** Empty for a file that is not there, or cannot be read: anyone who relies on it meets that as a host that is not trusted. */
  #file(path: string): string {
    try {
      const { mtimeMs, size, ino } = statSync(path);
      if (size > largest) return '';
      const stamp = `${mtimeMs} ${size} ${ino}`;
      const known = this.#files.get(path);
      if (known?.stamp === stamp) return known.text;
      const text = readFileSync(path, 'utf8');
      this.#files.set(path, { stamp, text });
      return text;
    } catch {
      this.#files.delete(path);
      return '';
    }
  }
}

function joined(texts: readonly (string | undefined)[]): string {
  return [...new Set(texts.map((text) => text?.trim()).filter(Boolean))].map((text) => `${text}\n`).join('');
}

/** A host of a URL is chosen by users: it must not lead out of the folder. */
function isFileName(host: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9.-]*$/.test(host) && !host.includes('..');
}

function hostOf(url: string): string {
  const scp = /^[^/@]+@([^:/]+):/.exec(url);
  if (scp) return scp[1] as string;
  // Registries are written without a scheme.
  const whole = url.includes('://') ? url : `https://${url}`;
  return URL.canParse(whole) ? new URL(whole).hostname : '';
}
