import type { Application } from '@tiphys/api';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import type { ApplicationApi, ApplicationName, ManagedResource, Revisions } from '../../client/application-api.ts';
import { ManifestService } from '../../client/manifest-service.ts';
import { type LocalFlags, localFiles } from './local-files.ts';

const nothingRendered = defineDiagnosis('NothingRendered', 'What is compared renders to no manifest');

export interface CompareFlags extends LocalFlags, Revisions {}

export interface Comparing {
  readonly api: ApplicationApi;
  readonly name: ApplicationName;
  readonly application: Application;
  readonly workdir: string;
  readonly signal: AbortSignal;
}

/** The manifests of a local folder, rendered by the server as it renders the source. */
export async function localManifests(comparing: Comparing, flags: LocalFlags): Promise<string[]> {
  const { api, name, application, workdir, signal } = comparing;
  const files = localFiles(application, flags, workdir);
  return await new ManifestService(api.session).manifestsOf(name, files, signal);
}

/** The live objects of an application against another revision, or a local folder, by dry runs of the API server. */
export async function comparedWith(comparing: Comparing, flags: CompareFlags): Promise<ManagedResource[]> {
  const { api, name, application, signal } = comparing;
  const manifests =
    flags.local === undefined ? await api.manifests(name, flags) : await localManifests(comparing, flags);
  const targets = manifests.filter((text) => text !== '' && text !== 'null');
  if (targets.length === 0)
    throw failure(nothingRendered, {
      message: 'What is compared renders to no manifest: everything would be deleted',
      remedies: ['Correct the revision or the folder'],
    });
  const managed = await api.managedResources(name);
  const { destination } = application.spec;
  const live = new Map(managed.map((resource) => [keyOf(resource), resource]));
  const pairs = targets.map((target) => pairOf(target, live, destination.namespace));
  const wanted = new Set(pairs.map(({ resource }) => keyOf(resource)));
  const left = managed.filter((resource) => !wanted.has(keyOf(resource)) && isLive(resource) && !resource.hook);
  const all = [...pairs, ...left.map((resource) => ({ target: '', resource }))];
  return await new ManifestService(api.session).compare(
    name,
    { live: all.map(({ resource }) => resource), targets: all.map(({ target }) => target) },
    signal,
  );
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly namespace?: string; readonly name: string };
}

/** A manifest with its live object; one that names no namespace is in that of the destination, if its object is. */
function pairOf(
  text: string,
  live: ReadonlyMap<string, ManagedResource>,
  namespace: string | undefined,
): { readonly target: string; readonly resource: ManagedResource } {
  const manifest = JSON.parse(text) as Manifest;
  const asWritten = resourceOf(manifest);
  const found = live.get(keyOf(asWritten));
  if (found || asWritten.namespace || !namespace) return { target: text, resource: found ?? asWritten };
  const within = live.get(keyOf({ ...asWritten, namespace }));
  if (!within) return { target: text, resource: asWritten };
  const placed = { ...manifest, metadata: { ...manifest.metadata, namespace } };
  return { target: JSON.stringify(placed), resource: within };
}

function isLive({ liveState }: ManagedResource): boolean {
  return Boolean(liveState) && liveState !== 'null';
}

function keyOf({ group = '', kind, namespace = '', name }: ManagedResource): string {
  return [group, kind, namespace, name].join('/');
}

function resourceOf({ apiVersion, kind, metadata }: Manifest): ManagedResource {
  const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
  return { group, kind, namespace: metadata.namespace ?? '', name: metadata.name };
}
