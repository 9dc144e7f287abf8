import type { ApplicationSource } from '@tiphys/api';
import { restated } from '@tiphys/diagnosis';
import type { Credentials } from '@tiphys/git';
import { type Access, type OciReference, parseOciReference } from '@tiphys/registry';
import type { RenderRequest } from '../request/rendered.ts';

/** A chart of a Helm repository, a chart of a registry, or any artifact of a registry. */
export type ChartPlace =
  | { readonly kind: 'repository'; readonly url: string; readonly chart: string; readonly access: Access }
  | { readonly kind: 'registry-chart' | 'artifact'; readonly reference: OciReference; readonly access: Access };

/** Where a source's chart is; undefined if the source is read from Git. */
export function chartPlace(request: Pick<RenderRequest, 'source' | 'repository'>): ChartPlace | undefined {
  const { source, repository } = request;
  const chart = source.chart ?? '';
  const access = accessOf(repository, source);
  if (source.repoURL.startsWith('oci://')) {
    const name = [source.repoURL.replace(/(?<!\/)\/+$/, ''), ...(chart ? [chart] : [])].join('/');
    return {
      kind: chart ? 'registry-chart' : 'artifact',
      reference: sourceReference(name, 'spec.source.repoURL'),
      access,
    };
  }
  if (!chart) return undefined;
  const { url } = repository;
  if (repository.oci || !/^[a-z][a-z0-9+.-]*:\/\//i.test(url))
    return {
      kind: 'registry-chart',
      reference: sourceReference(
        `${url.replace(/^https?:\/\//, '').replace(/(?<!\/)\/+$/, '')}/${chart}`,
        'spec.source.chart',
      ),
      access,
    };
  return { kind: 'repository', url, chart, access };
}

/** A name that the source gives; of a chart in a repository of Git nobody meant a registry. */
function sourceReference(name: string, field: string): OciReference {
  try {
    return parseOciReference(name);
  } catch (error) {
    const ofGit = field === 'spec.source.chart' ? [{ text: ofGitRemedy }] : [];
    throw restated(error, (inner) => ({
      ...inner,
      place: { field, ...inner.place },
      remedies: [...inner.remedies, ...ofGit],
    }));
  }
}

const ofGitRemedy =
  'If the repository is one of Git, remove spec.source.chart, and name the folder of the chart in spec.source.path';

/** The place that a registered repository is, for a look at it: `chart` may be empty. */
export function repositoryPlace(repository: RenderRequest['repository'], chart = ''): ChartPlace {
  const found = chartPlace({ source: { repoURL: repository.url, chart } as ApplicationSource, repository });
  if (found) return found;
  const access = accessOf(repository);
  if (!repository.oci && /^https?:\/\//i.test(repository.url))
    return { kind: 'repository', url: repository.url, chart, access };
  const name = repository.url.replace(/^[a-z]+:\/\//i, '').replace(/(?<!\/)\/+$/, '');
  // A registry is often registered by its host alone.
  return { kind: 'registry-chart', reference: parseOciReference(name.includes('/') ? name : `${name}/charts`), access };
}

/** The credentials of a repository, as its Secret has them, for a Helm repository or a registry. */
export function accessOf(
  { credentials = {}, plainHttp }: RenderRequest['repository'],
  source?: ApplicationSource,
): Access {
  const {
    username,
    password,
    bearerToken,
    tlsClientCertData,
    tlsClientCertKey,
    ca,
    insecure,
    proxy,
    noProxy,
    from,
  }: Credentials = credentials;
  return {
    ...(username ? { username } : {}),
    ...(password || bearerToken ? { password: password || (bearerToken ?? '') } : {}),
    ...(tlsClientCertData && tlsClientCertKey ? { cert: tlsClientCertData, key: tlsClientCertKey } : {}),
    ...(ca ? { ca } : {}),
    ...(insecure ? { insecure: true } : {}),
    ...(proxy ? { proxy } : {}),
    ...(noProxy ? { noProxy } : {}),
    ...(plainHttp ? { plainHttp: true } : {}),
    ...(source?.helm?.passCredentials ? { passCredentials: true } : {}),
    ...(from ? { from: `Secret ${from}` } : {}),
  };
}
