import type { ServerContext } from '@tiphys/apimachinery';
import type { ApiService } from '@tiphys/kinds';
import { AGGREGATOR } from './availability.ts';
import { askRemote, type FrontProxy } from './remote-server.ts';

const ACCEPT =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList';
const requestTimeout = 5000;
const MAX_BYTES = 16 * 1024 * 1024;

interface Answered {
  readonly code: number;
  readonly type: string;
  readonly text: string;
}

/**
 * The resources that a server behind this one says to serve in the version of an APIService, as aggregated discovery
 * lists them: by aggregated discovery itself where that server has it, else by the older list. Throws where neither answers.
 */
export async function remoteResources(
  server: ServerContext,
  apiService: ApiService,
  frontProxy: FrontProxy,
): Promise<unknown[]> {
  const { group = '', version = '' } = apiService.spec;
  const ask = (path: string, accept: string) => remoteAnswer(server, apiService, frontProxy, { path, accept });
  const all = await ask('/apis', ACCEPT);
  if (all.code === 200 && all.type.includes('as=APIGroupDiscoveryList')) {
    const { items = [] } = JSON.parse(all.text) as {
      items?: { metadata?: { name?: string }; versions?: { version?: string; resources?: unknown[] }[] }[];
    };
    const found = items.find(({ metadata }) => metadata?.name === group);
    return found?.versions?.find((candidate) => candidate.version === version)?.resources ?? [];
  }
  const path = group ? `/apis/${group}/${version}` : `/api/${version}`;
  const legacy = await ask(path, 'application/json');
  if (legacy.code !== 200) throw new Error(`failed to download legacy discovery for ${path}: ${legacy.code}`);
  return fromLegacy((JSON.parse(legacy.text) as { resources?: LegacyResource[] }).resources ?? [], { group, version });
}

/** GET of a server behind this one, as the aggregator asks for its own sake. Throws for more than 16 MiB. */
export async function remoteAnswer(
  server: ServerContext,
  apiService: ApiService,
  frontProxy: FrontProxy,
  { path, accept }: { path: string; accept: string },
): Promise<Answered> {
  const answer = await askRemote(server, apiService, frontProxy, {
    method: 'GET',
    path,
    headers: { accept },
    user: AGGREGATOR,
    signal: AbortSignal.timeout(requestTimeout),
  });
  let text = '';
  for await (const chunk of answer) {
    text += String(chunk);
    if (text.length > MAX_BYTES) throw new Error(`${path} of ${apiService.metadata.name} is too large`);
  }
  return { code: answer.statusCode ?? 0, type: answer.headers['content-type'] ?? '', text };
}

interface LegacyResource {
  name: string;
  singularName?: string;
  namespaced?: boolean;
  group?: string;
  version?: string;
  kind?: string;
  verbs?: string[];
  shortNames?: string[];
  categories?: string[];
}

/** A list of resources and `resource/subresource` names as aggregated discovery nests them. */
function fromLegacy(resources: readonly LegacyResource[], own: { group: string; version: string }): unknown[] {
  const kindOf = ({ group, version, kind = '' }: LegacyResource) => ({
    group: group || own.group,
    version: version || own.version,
    kind,
  });
  return resources
    .filter(({ name }) => !name.includes('/'))
    .map((resource) => {
      const { name, singularName = '', namespaced, verbs = [], shortNames, categories } = resource;
      const subresources = resources
        .filter((other) => other.name.startsWith(`${name}/`))
        .map((other) => ({
          subresource: other.name.slice(name.length + 1),
          responseKind: kindOf(other),
          verbs: other.verbs ?? [],
        }));
      return {
        resource: name,
        responseKind: kindOf(resource),
        scope: namespaced ? 'Namespaced' : 'Cluster',
        singularResource: singularName,
        verbs,
        ...(shortNames?.length ? { shortNames } : {}),
        ...(categories?.length ? { categories } : {}),
        ...(subresources.length ? { subresources } : {}),
      };
    });
}
