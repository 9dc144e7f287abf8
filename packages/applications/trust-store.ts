import type { Informer, KubeObject } from '@tiphys/kubernetes';

/** What hosts are trusted for: `argocd-tls-certs-cm` (a PEM bundle per host) and `argocd-ssh-known-hosts-cm`. */
export class TrustStore {
  readonly #configMaps: Informer<KubeObject>;
  readonly #namespace: string;

  constructor(configMaps: Informer<KubeObject>, namespace: string) {
    this.#configMaps = configMaps;
    this.#namespace = namespace;
  }

  /** The authorities and host keys for a repository's host; absent where there are none. */
  of(url: string): { ca?: string; knownHosts?: string } {
    const ca = this.#data('argocd-tls-certs-cm')[hostOf(url)];
    const knownHosts = this.#data('argocd-ssh-known-hosts-cm').ssh_known_hosts;
    return { ...(ca ? { ca } : {}), ...(knownHosts ? { knownHosts } : {}) };
  }

  #data(name: string): Record<string, string> {
    return (this.#configMaps.get(this.#namespace, name)?.data ?? {}) as Record<string, string>;
  }
}

function hostOf(url: string): string {
  const scp = /^[^/@]+@([^:/]+):/.exec(url);
  if (scp) return scp[1] as string;
  // Registries are written without a scheme.
  const whole = url.includes('://') ? url : `https://${url}`;
  return URL.canParse(whole) ? new URL(whole).hostname : '';
}
