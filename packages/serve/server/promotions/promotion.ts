import { createHash } from 'node:crypto';
import type { Application } from '@tiphys/api';
import { manifestSourcesOf, type SourceBranch } from '@tiphys/applications';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { normalizePath } from '@tiphys/git';
import type { Preview } from '@tiphys/preview';
import type { ServerContext } from '../context/server-context.ts';
import { previewRevisions } from '../previews/preview-revisions.ts';
import { sameRepository } from '../repositories/same-repository.ts';
import { changedFolder } from './changed-folder.ts';
import { editImages } from './edit-images.ts';
import { type ImageVersion, imagesOf } from './images.ts';
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

export interface Promotion {
  /** `files`: the same folder of another branch; `images`: versions of images. */
  readonly mode: 'files' | 'images';
  readonly images: readonly PromotedImage[];
  readonly files: readonly { readonly path: string; readonly action: 'create' | 'change' | 'delete' }[];
  readonly repoURL: string;
  readonly branch: string;
  /** Says what is committed and on top of what: a promotion that was shown is the one that is done. */
  readonly digest: string;
  readonly message: string;
  /** Every application that tracks the branch, changed by the commit. */
  readonly preview: Preview;
}

/** With what is needed to do it; `commit` is undefined where there is nothing to promote. */
export interface PlannedPromotion extends Promotion {
  readonly commit: string | undefined;
  readonly target: SourceBranch;
}

export interface PromotionRequest {
  readonly from: Application;
  readonly to: Application;
  readonly signal: AbortSignal;
}

/**
 * What the first application delivers, brought into the sources of the second: the whole folder where both read the same path of one
 * repository at different branches; otherwise the versions of the images that both use. Nothing is pushed.
 */
export async function planPromotion(context: ServerContext, request: PromotionRequest): Promise<PlannedPromotion> {
  const { from, to, signal } = request;
  const delivered = await context.backend.render(from, { ...deliveredRevisions(from), signal });
  const folder = sameFolder(from, to);
  const wanted = folder === undefined ? await wantedImages(context, request, delivered.objects) : [];
  const { target, files } =
    folder === undefined
      ? await imageChange(context, request, wanted)
      : await folderChange(context, request, { commit: delivered.revisions[0] ?? '', path: folder });
  const message = messageOf(request, { images: wanted, revisions: delivered.revisions });
  const commit = files.size > 0 ? await target.draft(message, files) : undefined;
  const images = commit ? await proven(context, request, { target, commit, wanted }) : wanted;
  return {
    mode: folder === undefined ? 'images' : 'files',
    images: images.map(({ version: _, ...image }) => image),
    files: await told(target, files),
    repoURL: target.repoURL,
    branch: target.branch,
    digest: createHash('sha256')
      .update(JSON.stringify([target.tip, message, [...files]]))
      .digest('hex'),
    message,
    preview: commit ? await previewOf(context, { target, commit, signal }) : { applications: 0, items: [] },
    commit,
    target,
  };
}

interface WantedImage extends PromotedImage {
  readonly version: ImageVersion;
}

/** What was synced last; what is tracked, if nothing was. */
function deliveredRevisions({ spec, status }: Application): { revisions?: readonly string[] } {
  if (spec.sourceHydrator) {
    const { drySHA } = status?.sourceHydrator?.lastSuccessfulOperation ?? {};
    return drySHA ? { revisions: [drySHA] } : {};
  }
  const last = status?.history?.at(-1);
  const revisions = last?.revisions ?? (last?.revision ? [last.revision] : []);
  return revisions.length === manifestSourcesOf(spec).length ? { revisions } : {};
}

/** The path that both read, of one repository at different branches; undefined if they do not. */
function sameFolder(from: Application, to: Application): string | undefined {
  const [[source, ...others], [goal, ...more]] = [manifestSourcesOf(from.spec), manifestSourcesOf(to.spec)];
  if (!source || !goal || others.length + more.length > 0 || source.chart || goal.chart) return undefined;
  const path = normalizePath(goal.path ?? '.');
  const same = sameRepository(source.repoURL, goal.repoURL) && normalizePath(source.path ?? '.') === path;
  return same && (source.targetRevision || 'HEAD') !== (goal.targetRevision || 'HEAD') ? path : undefined;
}

/** The images that both use in different versions. One that the first uses in several versions stands for none. */
async function wantedImages(
  { backend }: ServerContext,
  { to, signal }: PromotionRequest,
  delivered: Awaited<ReturnType<ServerContext['backend']['render']>>['objects'],
): Promise<WantedImage[]> {
  const { objects } = await backend.render(to, { signal });
  const [newer, older] = [delivered, objects].map((list) => imagesOf(list.map(({ object }) => object)));
  return [...(older ?? [])].flatMap(([name, versions]) => {
    const [[text, version] = [], ...others] = [...(newer?.get(name) ?? [])];
    const current = [...versions.keys()];
    if (text === undefined || !version || (current.length === 1 && current[0] === text && others.length === 0))
      return [];
    const left = others.length > 0 ? `it is delivered in ${others.length + 1} versions` : undefined;
    return [{ name, from: current, to: text, version, ...(left ? { left } : {}) }];
  });
}

async function folderChange(
  { backend }: ServerContext,
  { to, signal }: PromotionRequest,
  { commit, path }: { commit: string; path: string },
) {
  const target = await backend.sourceBranch(to, 0, signal);
  return { target, files: await changedFolder(await target.filesAt(commit), await target.filesAt(target.tip), path) };
}

/** The first Git source of the second application whose files say versions of the images. */
async function imageChange(
  { backend }: ServerContext,
  { from, to, signal }: PromotionRequest,
  wanted: readonly WantedImage[],
): Promise<{ target: SourceBranch; files: Map<string, string | undefined> }> {
  const versions = new Map(wanted.filter(({ left }) => !left).map(({ name, version }) => [name, version]));
  const sources = manifestSourcesOf(to.spec);
  let first: SourceBranch | undefined;
  for (const [index, source] of sources.entries()) {
    if (source.chart || source.repoURL.startsWith('oci://')) continue;
    const target = await backend.sourceBranch(to, index, signal);
    first ??= target;
    const files = new Map<string, string | undefined>();
    for (const [path, text] of await filesOfSource(await target.filesAt(target.tip), sources, index)) {
      const edited = editImages(text, versions);
      if (edited !== text) files.set(path, edited);
    }
    if (files.size > 0) return { target, files };
  }
  // throws why there is none that can be written to
  first ??= await backend.sourceBranch(to, 0, signal);
  if (versions.size === 0) return { target: first, files: new Map() };
  throw failure(nothingWritten, {
    message: `No file of ${to.metadata.name} says the version of ${[...versions.keys()].join(', ')} in a form that can be changed`,
    place: { remote: first.repoURL, revision: first.branch },
    evidence: Object.fromEntries(wanted.map((image) => [image.name, `${image.from.join(', ')} → ${image.to}`])),
    remedies: [
      'Name the image in a manifest, in images of the kustomization, or as repository and tag in the values, below the path of the application',
      `Change it by hand, as in ${from.metadata.name}`,
    ],
  });
}

/** Says of each image whether the second application has its version now: what is rendered tells, not what was written. */
async function proven(
  { backend }: ServerContext,
  { to, signal }: PromotionRequest,
  { target, commit, wanted }: { target: SourceBranch; commit: string; wanted: readonly WantedImage[] },
): Promise<readonly WantedImage[]> {
  if (wanted.length === 0) return wanted;
  const revisions = manifestSourcesOf(to.spec).map(({ repoURL }) =>
    sameRepository(repoURL, target.repoURL) ? commit : '',
  );
  const { objects } = await backend.render(to, { revisions, signal });
  const after = imagesOf(objects.map(({ object }) => object));
  return wanted.map((image) => {
    const versions = [...(after.get(image.name)?.keys() ?? [])];
    const isThere = versions.length === 1 && versions[0] === image.to;
    return image.left || isThere ? image : { ...image, left: 'no file of its says it in a form that can be changed' };
  });
}

async function told(target: SourceBranch, files: ReadonlyMap<string, string | undefined>): Promise<Promotion['files']> {
  const tree = await target.filesAt(target.tip);
  return Promise.all(
    [...files].map(async ([path, text]) => {
      const action = text === undefined ? 'delete' : (await tree.entry(path)) ? 'change' : 'create';
      return { path, action } as const;
    }),
  );
}

function previewOf(
  context: ServerContext,
  { target, commit, signal }: { target: SourceBranch; commit: string; signal: AbortSignal },
): Promise<Preview> {
  const { repoURL, branch } = target;
  const readers = [...context.applications.list()].filter(({ spec }) =>
    manifestSourcesOf(spec).some((source) => sameRepository(source.repoURL, repoURL)),
  );
  return previewRevisions(context, readers, { repo: repoURL, base: branch, head: commit }, signal);
}

function messageOf(
  { from, to }: PromotionRequest,
  { images, revisions }: { images: readonly WantedImage[]; revisions: readonly string[] },
): string {
  const name = ({ metadata }: Application) => `${metadata.namespace}/${metadata.name}`;
  const changes = images.filter(({ left }) => !left).map((image) => `${image.name} ${image.to}`);
  const what = changes.length === 1 ? changes[0] : name(from);
  const list = changes.length > 1 ? `\n${changes.map((each) => `- ${each}\n`).join('')}` : '';
  return `Promote ${what} to ${name(to)}\n${list}\nAs delivered by ${name(from)} at ${revisions.join(', ')}.\n`;
}
