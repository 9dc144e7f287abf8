import { createHash } from 'node:crypto';
import type { Application } from '@tiphys/api';
import { manifestSourcesOf, type SourceBranch } from '@tiphys/applications';
import { normalizePath } from '@tiphys/git';
import type { Preview } from '@tiphys/preview';
import type { ServerContext } from '../context/server-context.ts';
import { previewRevisions, previewVersions } from '../previews/preview-revisions.ts';
import { sameRepository } from '../repositories/same-repository.ts';
import { changedFolder } from './changed-folder.ts';
import type { PromotedVersion } from './pin-changes.ts';
import {
  type Delivered,
  type PlannedVersions,
  type PromotedImage,
  type PromotionRequest,
  planVersions,
  provenVersions,
} from './version-promotion.ts';

export interface Promotion {
  /** `files`: the same folder of another branch; `images`: versions of images, charts and remote bases. */
  readonly mode: 'files' | 'images';
  readonly images: readonly PromotedImage[];
  readonly versions: readonly PromotedVersion[];
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
  /** Where the commit goes; there is none without a commit. */
  readonly target: SourceBranch | undefined;
  /** The application whose source declares the second one, where that is what changes. */
  readonly parent: Application | undefined;
}

/**
 * What the first application delivers, brought into the sources of the second: the whole folder where both read the same path of one
 * repository at different branches; otherwise the versions of the charts, remote bases and images that both use. Nothing is pushed.
 */
export async function planPromotion(context: ServerContext, request: PromotionRequest): Promise<PlannedPromotion> {
  const { from, to, signal } = request;
  const delivered = await context.backend.render(from, { ...deliveredRevisions(from), signal });
  const folder = sameFolder(from, to);
  const plan: PlannedVersions =
    folder === undefined
      ? await planVersions(context, request, delivered)
      : { images: [], versions: [], ...(await folderChange(context, request, { delivered, folder })) };
  const { target, files, images, versions, raised } = plan;
  const message = messageOf(request, { changes: [...versions, ...images], revisions: delivered.revisions });
  const commit = files.size > 0 ? await target?.draft(message, files) : undefined;
  const proven = commit ? await provenVersions(context, request, { ...plan, commit }) : { images, versions };
  return {
    mode: folder === undefined ? 'images' : 'files',
    images: proven.images.map(({ name, from: older, to: newer, left }) => ({
      name,
      from: older,
      to: newer,
      ...(left ? { left } : {}),
    })),
    versions: proven.versions,
    files: await told(target, files),
    repoURL: target?.repoURL ?? '',
    branch: target?.branch ?? '',
    digest: createHash('sha256')
      .update(JSON.stringify([target?.tip, message, [...files]]))
      .digest('hex'),
    message,
    preview:
      commit && target ? await previewOf(context, request, { target, commit, raised }) : { applications: 0, items: [] },
    commit,
    target,
    parent: raised?.parent,
  };
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

async function folderChange(
  { backend }: ServerContext,
  { to, signal }: PromotionRequest,
  { delivered, folder }: { readonly delivered: Delivered; readonly folder: string },
) {
  const target = await backend.sourceBranch(to, 0, signal);
  const before = await target.filesAt(delivered.revisions[0] ?? '');
  return { target, files: await changedFolder(before, await target.filesAt(target.tip), folder) };
}

async function told(target: SourceBranch | undefined, files: PlannedVersions['files']): Promise<Promotion['files']> {
  if (!target) return [];
  const tree = await target.filesAt(target.tip);
  return Promise.all(
    [...files].map(async ([path, text]) => {
      const action = text === undefined ? 'delete' : (await tree.entry(path)) ? 'change' : 'create';
      return { path, action } as const;
    }),
  );
}

/** What the commit changes of those that read the branch, and of the second application, where it is made of another chart then. */
async function previewOf(
  context: ServerContext,
  { to, signal }: PromotionRequest,
  {
    target,
    commit,
    raised,
  }: Pick<PlannedVersions, 'raised'> & { readonly commit: string; readonly target: SourceBranch },
): Promise<Preview> {
  const { repoURL, branch } = target;
  const readers = [...context.applications.list()].filter(({ spec }) =>
    manifestSourcesOf(spec).some((source) => sameRepository(source.repoURL, repoURL)),
  );
  const preview = await previewRevisions(context, readers, { repo: repoURL, base: branch, head: commit }, signal);
  if (!raised) return preview;
  const own = await previewVersions(context, to, { base: raised.before, head: raised.after }, signal);
  return { applications: preview.applications + 1, items: [own, ...preview.items] };
}

function messageOf(
  { from, to }: PromotionRequest,
  {
    changes: found,
    revisions,
  }: {
    readonly changes: readonly { readonly name: string; readonly to: string; readonly left?: string }[];
    readonly revisions: readonly string[];
  },
): string {
  const name = ({ metadata }: Application) => `${metadata.namespace}/${metadata.name}`;
  const changes = found.filter(({ left }) => !left).map((each) => `${each.name} ${each.to}`);
  const what = changes.length === 1 ? changes[0] : name(from);
  const list = changes.length > 1 ? `\n${changes.map((each) => `- ${each}\n`).join('')}` : '';
  return `Promote ${what} to ${name(to)}\n${list}\nAs delivered by ${name(from)} at ${revisions.join(', ')}.\n`;
}
