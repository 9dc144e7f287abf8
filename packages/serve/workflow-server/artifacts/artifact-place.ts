import type { flow } from '@tiphys/api';
import { Code, notFound, RpcError } from '@tiphys/server';
import type { StoredWorkflow } from '../common/live-workflows.ts';

/** Where an object of S3 is; fields as upstream's. */
export interface S3Place {
  readonly endpoint: string;
  readonly bucket: string;
  readonly key: string;
  readonly region?: string;
  readonly insecure?: boolean;
  readonly accessKeySecret?: { readonly name: string; readonly key: string };
  readonly secretKeySecret?: { readonly name: string; readonly key: string };
}

export type ArtifactPlace = { readonly s3: S3Place } | { readonly raw: string; readonly key: string };

type Json = Readonly<Record<string, unknown>>;

export interface WantedArtifact {
  readonly node: string;
  readonly name: string;
  readonly isInput: boolean;
  /** Path below the artifact's own key. */
  readonly file?: string;
}

/** Where an artifact of a node is: what it says itself, then its template's location, then the repository of the workflow. */
export function artifactPlace(workflow: StoredWorkflow, wanted: WantedArtifact, usual: Json): ArtifactPlace {
  const nodes = workflow.status?.nodes ?? {};
  const node = Object.hasOwn(nodes, wanted.node) ? nodes[wanted.node] : undefined;
  const artifact = (wanted.isInput ? node?.inputs : node?.outputs)?.artifacts?.find(({ name }) => name === wanted.name);
  if (!node || !artifact)
    throw new RpcError(
      Code.Internal,
      `node ${wanted.node} has no ${wanted.isInput ? 'input' : 'output'} ${wanted.name}`,
    );
  const { s3, raw, ...others } = artifact as unknown as Json & { s3?: Json; raw?: { data?: string } };
  if (raw) return { raw: raw.data ?? '', key: wanted.name };
  const other = ['gcs', 'azure', 'oss', 'hdfs', 'http', 'artifactory', 'git', 'plugin'].find((store) => others[store]);
  if (other)
    throw new RpcError(Code.Unimplemented, `artifacts of ${other} are not given out; docs/limits.md lists what is`);
  if (!s3?.key) throw notFound(`the artifact ${wanted.name} has no key`);
  const own = s3.bucket ? s3 : { ...repositoryOf(workflow, node, usual), ...s3 };
  const { endpoint, bucket, key } = own as Partial<S3Place>;
  if (!endpoint || !bucket || !key)
    throw new RpcError(
      Code.Internal,
      `the artifact ${wanted.name} has no endpoint and bucket, and its workflow no repository`,
    );
  return { s3: { ...(own as unknown as S3Place), key: wanted.file ? `${key}/${wanted.file}` : key } };
}

function repositoryOf(workflow: StoredWorkflow, { templateName }: flow.NodeStatus, usual: Json): Json {
  const { status, spec } = workflow;
  const templates = [...(spec?.templates ?? []), ...Object.values(status?.storedTemplates ?? {})];
  const template = templates.find(({ name }) => name === templateName) as { archiveLocation?: Json } | undefined;
  const reference = status?.artifactRepositoryRef as { artifactRepository?: Json } | undefined;
  const found = [template?.archiveLocation, reference?.artifactRepository, usual].find((place) => place?.s3);
  const { keyFormat, keyPrefix, ...location } = (found?.s3 ?? {}) as Json;
  return location;
}
