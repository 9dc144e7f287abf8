import type { ApplicationStatus, SyncOperation } from '@tiphys/api';
import { type Diagnosis, defineDiagnosis, diagnose, failure } from '@tiphys/diagnosis';
import type { DesiredObject } from '@tiphys/engine';
import type { KubeObject } from '@tiphys/kubernetes';
import type { RenderedSources } from './source-renderer.ts';

const localManifestsInvalid = defineDiagnosis(
  'LocalManifestsInvalid',
  'What a sync brought as local manifests are no objects',
);
const localManifestsLive = defineDiagnosis(
  'LocalManifestsLive',
  'The last sync deployed manifests of somebody’s folder, so the application is compared with those and not with its repository',
);

/** The manifests that an operation brought along in place of a revision; undefined if it brought none. */
export function localManifests(sync: SyncOperation | undefined): readonly string[] | undefined {
  return sync?.manifests?.length ? sync.manifests : undefined;
}

/** What the application is compared with as long as its last operation deployed local manifests, as upstream; a dry run deployed nothing. */
export function deployedLocally({ operationState }: ApplicationStatus): readonly string[] | undefined {
  const sync = operationState?.operation?.sync;
  return sync?.dryRun ? undefined : localManifests(sync);
}

/** Local manifests in the form of a render: without revision, since none has them. Throws a diagnosis that names the one that is no object. */
export function renderLocally(manifests: readonly string[], sourceTypes: readonly string[]): RenderedSources {
  const objects = manifests.flatMap((text, index): DesiredObject[] => {
    const object = parse(text, index);
    return object === undefined ? [] : [{ object, origin: { file: `local manifest ${index + 1}`, line: 1 } }];
  });
  return {
    revisions: [],
    sourceTypes: sourceTypes as RenderedSources['sourceTypes'],
    objects,
    warnings: [],
    generated: new Map(),
    renders: [],
  };
}

/** For people who wonder why the application does not follow its repository. */
export function comparedLocally(): Diagnosis {
  return diagnose(localManifestsLive, {
    message: 'The application is compared with the local manifests of its last sync, not with its repository',
    place: { field: 'status.operationState.operation.sync.manifests' },
    remedies: ['Sync without local manifests to follow the repository again'],
  });
}

function parse(text: string, index: number): KubeObject | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalid(index, (error as Error).message, error);
  }
  // Upstream's clients send null for what they left out.
  if (value === null) return undefined;
  const object = value as Partial<KubeObject>;
  if (typeof object !== 'object' || !object.apiVersion || !object.kind || typeof object.metadata !== 'object')
    throw invalid(index, 'it has no apiVersion, kind or metadata');
  return object as KubeObject;
}

function invalid(index: number, reason: string, cause?: unknown) {
  return failure(
    localManifestsInvalid,
    {
      message: `Failed to load local manifests: manifest ${index + 1}: ${reason}`,
      place: { field: `operation.sync.manifests[${index}]` },
      remedies: ['Send each manifest as the JSON of one object'],
    },
    cause === undefined ? {} : { cause },
  );
}
