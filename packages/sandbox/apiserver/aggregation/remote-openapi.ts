import type { ServerContext } from '@tiphys/apimachinery';
import type { ApiService } from '@tiphys/kinds';
import { convertedDocument, type OpenApiV2 } from './openapi-conversion.ts';
import { onlyPaths } from './openapi-merge.ts';
import { remoteAnswer } from './remote-discovery.ts';
import type { FrontProxy } from './remote-server.ts';

/** What a server behind this one tells in OpenAPI. */
export interface RemoteDocuments {
  /** Its `/openapi/v3`: it serves each document itself. */
  readonly v3: Readonly<Record<string, { serverRelativeURL?: string }>>;
  /** Documents by path that are made of its `/openapi/v2`, where it has no v3. */
  readonly converted: Readonly<Record<string, unknown>>;
  /** What its `/openapi/v2` says of the version of the APIService. */
  readonly v2: OpenApiV2 | undefined;
}

/** Downloads the documents of the server of an APIService. Throws where it cannot be asked, or says what cannot be read. */
export async function remoteDocuments(
  server: ServerContext,
  apiService: ApiService,
  frontProxy: FrontProxy,
): Promise<RemoteDocuments> {
  const { group = '', version = '' } = apiService.spec;
  const ask = (path: string) => remoteAnswer(server, apiService, frontProxy, { path, accept: 'application/json' });
  const [root, whole] = await Promise.all([ask('/openapi/v3'), ask('/openapi/v2')]);
  const v2 = whole.code === 200 ? (JSON.parse(whole.text) as OpenApiV2) : undefined;
  const { paths = {} } = root.code === 200 ? (JSON.parse(root.text) as { paths?: RemoteDocuments['v3'] }) : {};
  return {
    v3: paths,
    converted: root.code === 404 && v2 ? { [`apis/${group}/${version}`]: convertedDocument(v2) } : {},
    v2: v2 && onlyPaths(v2, (path) => path.startsWith(`/apis/${group}/${version}/`)),
  };
}
