import type { Application } from '@tiphys/api';
import { manifestSourcesOf, type SourceBranch } from '@tiphys/applications';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { isCommitSha } from '@tiphys/git';
import type { ServerContext } from '../context/server-context.ts';
import { sameRepository } from '../repositories/same-repository.ts';
import { declaredChange, type WantedChart, wantedCharts } from './declared-charts.ts';
import { editImages } from './edit-images.ts';
import { valueAt } from './edit-value.ts';
import { type ImageVersion, imagesOf } from './images.ts';
import { type PromotedVersion, pinChanges, type SourceFiles } from './pin-changes.ts';
import { filesOfSource } from './source-files.ts';

const nothingWritten = defineDiagnosis(
  'PromotionHasNoPlace',
  'The versions of an application are to be promoted, and the files of the other one do not say them in a form that can be changed',
);

/** An image whose version changes, or would, if a place were found for it. */
export interface PromotedImage {
  readonly name: string;
  readonly from: readonly string[];
  readonly to: string;
  /** Why it stays as it is. */
  readonly left?: string;
}

interface WantedImage extends PromotedImage {
  readonly version: ImageVersion;
}

export interface PromotionRequest {
  readonly from: Application;
  readonly to: Application;
  /** Whether who asks may know of an application. */
  readonly maySee: (app: Application) => boolean;
  readonly signal: AbortSignal;
}

export type Delivered = Awaited<ReturnType<ServerContext['backend']['render']>>;

/** The second application declared with other charts: who delivers it, and its revisions before and after. */
interface Raised {
  readonly parent: Application;
  readonly charts: readonly WantedChart[];
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export interface PlannedVersions {
  /** Undefined where no source is a branch, and nothing changes. */
  readonly target: SourceBranch | undefined;
  readonly files: ReadonlyMap<string, string | undefined>;
  readonly images: readonly (PromotedImage & { readonly version?: ImageVersion })[];
  readonly versions: readonly PromotedVersion[];
  readonly raised?: Raised | undefined;
}

const another = 'it is said at another place: promote again once this one is delivered';

/** Which versions change, and in what files of which branch. One commit is to one branch: the charts of sources come first. */
export async function planVersions(
  context: ServerContext,
  request: PromotionRequest,
  delivered: Delivered,
): Promise<PlannedVersions> {
  const { from, to, signal } = request;
  const current = await context.backend.render(to, { signal });
  const charts = wantedCharts({ app: from, revisions: delivered.revisions }, { app: to, revisions: current.revisions });
  const movable = charts.filter(({ left }) => !left);
  const declared = movable.length > 0 ? await declaredChange(context, request, movable) : undefined;
  if (typeof declared === 'object') {
    const after = current.revisions.map((revision, at) => movable.find(({ index }) => index === at)?.to ?? revision);
    const next = await context.backend.render(to, { revisions: after, signal });
    const images = wantedImages(next.objects, delivered.objects).map((image) => ({ left: another, ...image }));
    const { target, files, parent } = declared;
    return {
      target,
      files,
      images,
      versions: charts.map(shown),
      raised: { parent, charts: movable, before: current.revisions, after },
    };
  }
  const stays = charts.map((chart) => shown(declared && !chart.left ? { ...chart, left: declared } : chart));
  const images = wantedImages(current.objects, delivered.objects);
  const own = await ownChange(context, request, { delivered, images });
  if (own.files.size > 0) return { ...own, images, versions: [...stays, ...own.versions] };
  const left = [...stays, ...own.versions, ...images];
  if (left.length > 0 && (stays.length + own.versions.length > 0 || images.some((image) => !image.left)))
    throw noPlace(request, { target: own.target, left });
  return { ...own, images, versions: [] };
}

function shown({ index: _, ...version }: WantedChart): PromotedVersion {
  return version;
}

/** The images that both use in different versions. One that the first uses in several versions stands for none. */
function wantedImages(current: Delivered['objects'], delivered: Delivered['objects']): WantedImage[] {
  const [newer, older] = [delivered, current].map((list) => imagesOf(list.map(({ object }) => object)));
  return [...(older ?? [])].flatMap(([name, versions]) => {
    const [[text, version] = [], ...others] = [...(newer?.get(name) ?? [])];
    const now = [...versions.keys()];
    if (text === undefined || !version || (now.length === 1 && now[0] === text && others.length === 0)) return [];
    const left = others.length > 0 ? `it is delivered in ${others.length + 1} versions` : undefined;
    return [{ name, from: now, to: text, version, ...(left ? { left } : {}) }];
  });
}

/** The first Git source of the second application whose files say versions that change. */
async function ownChange(
  context: ServerContext,
  { from, to, signal }: PromotionRequest,
  { delivered, images }: { readonly delivered: Delivered; readonly images: readonly WantedImage[] },
): Promise<Pick<PlannedVersions, 'target' | 'files' | 'versions'>> {
  const { backend } = context;
  const wanted = new Map(images.filter(({ left }) => !left).map(({ name, version }) => [name, version]));
  const sources = manifestSourcesOf(to.spec);
  let first: Pick<PlannedVersions, 'target' | 'files' | 'versions'> | undefined;
  let newer: SourceFiles[] | undefined;
  for (const [index, source] of sources.entries()) {
    if (source.chart || source.repoURL.startsWith('oci://')) continue;
    const target = await backend.sourceBranch(to, index, signal);
    const tree = await target.filesAt(target.tip);
    const texts = await filesOfSource(tree, sources, index);
    newer ??= await deliveredFiles(context, { app: from, revisions: delivered.revisions, signal });
    const pins = await pinChanges(newer, { tree, texts });
    const files = new Map<string, string | undefined>(pins.files);
    for (const [path, text] of texts) {
      const before = pins.files.get(path) ?? text;
      const edited = editImages(before, wanted);
      if (edited !== text) files.set(path, edited);
    }
    const found = { target, files, versions: pins.versions };
    if (files.size > 0) return found;
    if (!first || (first.versions.length === 0 && pins.versions.length > 0)) first = found;
  }
  return first ?? { target: undefined, files: new Map(), versions: [] };
}

async function deliveredFiles(
  { backend }: ServerContext,
  { app, revisions, signal }: { app: Application; revisions: readonly string[]; signal: AbortSignal },
): Promise<SourceFiles[]> {
  const sources = manifestSourcesOf(app.spec);
  const found: SourceFiles[] = [];
  for (const [index, source] of sources.entries()) {
    const commit = revisions[index] ?? '';
    if (source.chart || !isCommitSha(commit)) continue;
    const tree = await backend.sourceFiles(app, index, commit, signal);
    found.push({ tree, texts: await filesOfSource(tree, sources, index) });
  }
  return found;
}

/** Says of each version whether it is there now: what is rendered tells, not what was written. */
export async function provenVersions(
  context: ServerContext,
  request: PromotionRequest,
  planned: PlannedVersions & { readonly commit: string },
): Promise<Pick<PlannedVersions, 'images' | 'versions'>> {
  const { images, versions, raised } = planned;
  if (raised) await proveDeclared(context, request, { ...planned, raised });
  if (raised || images.length === 0) return { images, versions };
  const { to, signal } = request;
  const { objects } = await context.backend.render(to, { revisions: revisionsAt(to, planned), signal });
  const after = imagesOf(objects.map(({ object }) => object));
  const told = images.map((image) => {
    const now = [...(after.get(image.name)?.keys() ?? [])];
    const isThere = now.length === 1 && now[0] === image.to;
    return image.left || isThere ? image : { ...image, left: 'no file of its says it in a form that can be changed' };
  });
  return { images: told, versions };
}

/** Throws unless the parent makes the second application with its new charts of the commit. */
async function proveDeclared(
  context: ServerContext,
  request: PromotionRequest,
  { target, commit, raised }: { target: SourceBranch | undefined; commit: string; raised: Raised },
): Promise<void> {
  const { to, signal } = request;
  const { parent, charts } = raised;
  const { objects } = await context.backend.render(parent, {
    revisions: revisionsAt(parent, { target, commit }),
    signal,
  });
  const declared = objects.find(
    ({ object }) => object.kind === 'Application' && object.metadata.name === to.metadata.name,
  );
  const path = (index: number) => (to.spec.sources?.length ? ['spec', 'sources', index] : ['spec', 'source']);
  const missing = charts.filter(
    ({ index, to: version }) => valueAt(declared?.object, [...path(index), 'targetRevision']) !== version,
  );
  if (missing.length === 0) return;
  const left = missing.map((chart) => ({
    ...chart,
    left: `${parent.metadata.name} makes the application with another version than its file says`,
  }));
  throw noPlace(request, { target, left });
}

/** The commit for each source of the branch's repository, their own revisions for the others. */
function revisionsAt(
  app: Application,
  { target, commit }: Pick<PlannedVersions, 'target'> & { readonly commit: string },
): string[] {
  return manifestSourcesOf(app.spec).map(({ repoURL }) =>
    target && sameRepository(repoURL, target.repoURL) ? commit : '',
  );
}

function noPlace(
  { from, to }: PromotionRequest,
  { target, left }: Pick<PlannedVersions, 'target'> & { readonly left: readonly PromotedImage[] },
) {
  const reasons = left.flatMap((each) => (each.left ? [`${each.name}: ${each.left}`] : []));
  const names = left.filter((each) => !each.left).map(({ name }) => name);
  const message =
    names.length > 0
      ? `No file of ${to.metadata.name} says the version of ${names.join(', ')} in a form that can be changed`
      : '';
  return failure(nothingWritten, {
    message: [...(message ? [message] : []), ...reasons].join('; '),
    place: target ? { remote: target.repoURL, revision: target.branch } : { object: `Application ${to.metadata.name}` },
    evidence: Object.fromEntries(left.map((each) => [each.name, `${each.from.join(', ')} → ${each.to}`])),
    remedies: [
      'Name the image in a manifest, in images of the kustomization, or as repository and tag in the values, below the path of the application',
      'Declare an application of a chart in a manifest that another application delivers from Git',
      `Change it by hand, as in ${from.metadata.name}`,
    ],
  });
}
