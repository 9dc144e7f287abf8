import { isDeepStrictEqual } from 'node:util';
import type { flow } from '@tiphys/api';
import { Code, notFound, RpcError } from '@tiphys/server';
import { driverOf, hasLocation, keyOf, locationIn, repositoryLocation, withKey } from '@tiphys/workflows';
import type { StoredWorkflow } from '../common/live-workflows.ts';

type Json = Readonly<Record<string, unknown>>;

export interface ArtifactPlace {
  /** With all that its store needs. */
  readonly location: flow.ArtifactLocation;
  /** What a download is called. */
  readonly name: string;
  /** The installation's own repository, whose administrator may have it read with the server's identity. */
  readonly isInstallations: boolean;
}

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
  if (!hasLocation(artifact) && keyOf(artifact) === undefined) throw notFound(`the artifact ${wanted.name} has no key`);
  const { location: around, isInstallations } = hasLocation(artifact)
    ? { location: undefined, isInstallations: false }
    : repositoryOf(workflow, node, usual);
  if (!hasLocation(artifact) && !around)
    throw new RpcError(Code.Internal, `the artifact ${wanted.name} has only a key, and its workflow no repository`);
  const location = locationIn(artifact, around);
  const key = keyOf(location);
  // a checkout is given out as an archive
  const name = driverOf(location) === 'git' ? `${wanted.name}.tgz` : (key ?? wanted.name);
  if (!wanted.file) return { location, name, isInstallations };
  if (key === undefined) throw notFound(`the artifact ${wanted.name} is no folder`);
  const below = `${key.replace(/(?<!\/)\/+$/, '')}/${wanted.file}`;
  return { location: withKey(location, below), name: below, isInstallations };
}

function repositoryOf(
  workflow: StoredWorkflow,
  { templateName }: flow.NodeStatus,
  usual: Json,
): { location: flow.ArtifactLocation | undefined; isInstallations: boolean } {
  const { status, spec } = workflow;
  const templates = [...(spec?.templates ?? []), ...Object.values(status?.storedTemplates ?? {})];
  const template = templates.find(({ name }) => name === templateName) as
    | { archiveLocation?: flow.ArtifactLocation }
    | undefined;
  if (driverOf(template?.archiveLocation)) return { location: template?.archiveLocation, isInstallations: false };
  const reference = status?.artifactRepositoryRef as { artifactRepository?: flow.ArtifactRepository } | undefined;
  // what the controller wrote down is where the artifact was put, also if the installation has another one since
  const repository = reference?.artifactRepository;
  if (!driverOf(repository))
    return { location: repositoryLocation(usual as flow.ArtifactRepository), isInstallations: true };
  const isInstallations = isDeepStrictEqual(repository, usual);
  return { location: repositoryLocation(repository), isInstallations };
}
