/** 32-bit FNV-1a of the texts' UTF-8 bytes, as Argo CD puts it into the names of Secrets. */
function fnv32a(...texts: readonly string[]): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(texts.join(''), 'utf8')) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}

/** `repo-1234`: the Secret of a repository or a credential template. */
export function repositorySecretName(
  prefix: 'repo' | 'creds' | 'repo-write' | 'creds-write',
  url: string,
  project = '',
): string {
  return `${prefix}-${fnv32a(url, project)}`;
}

/** `cluster-host-1234`: the Secret of a cluster. Throws for text that is no URL. */
export function clusterSecretName(server: string): string {
  const { hostname } = new URL(server);
  const host = hostname.startsWith('[') ? hostname.slice(1, -1).replaceAll(':', '-') : hostname;
  return `cluster-${host.toLowerCase()}-${fnv32a(server)}`;
}
