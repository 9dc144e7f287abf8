import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { ApplicationSourceDirectory } from '@tiphys/api';
import { type Diagnosis, diagnose, failure } from '@tiphys/diagnosis';
import type { GitTree, PathEntry } from '@tiphys/git';
import { compileGlob, isGlob } from '@tiphys/glob';
import type { DesiredObject } from '../request/desired-object.ts';
import { linkDangling, manifestsTooBig, sourceEmpty, tooManyObjects } from '../request/diagnoses.ts';
import { objectsOf, parseManifest } from '../request/parse-manifest.ts';
import type { ReadPath } from '../request/rendered.ts';

/** The files that a directory source consists of, before any is read. */
export interface Selection {
  /** In the order of reading; `path` is where the file is listed, `target` the file itself where that is a link. */
  readonly files: readonly { readonly path: string; readonly target: PathEntry }[];
  /** Differs if and only if another file, another content or another order would be read. */
  readonly digest: string;
  readonly paths: readonly ReadPath[];
  readonly warnings: readonly Diagnosis[];
}

export interface DirectoryLimits {
  /** Bytes of all files together; 0: no limit. */
  readonly combinedBytes: number;
  /** Objects of all files together. */
  readonly objects: number;
}

const manifestName = /\.(?:yaml|yml|json|jsonnet)$/;
const skipMarker = '+argocd:skip-file-rendering';
/** Also without a configured limit no single file is longer. */
const hardFileLimit = 256 * 1024 * 1024;

/** Finds the manifests below a folder by the rules of Argo CD; a link that leaves the repository is a failure that names it. */
export async function selectManifests(
  tree: GitTree,
  folder: PathEntry,
  options: ApplicationSourceDirectory & { readonly withoutJsonnet?: boolean },
): Promise<Selection> {
  const include = options.include ? compileGlob(options.include) : undefined;
  const exclude = options.exclude ? compileGlob(options.exclude) : undefined;
  const files: { path: string; target: PathEntry }[] = [];
  const paths: ReadPath[] = [];
  const warnings: Diagnosis[] = [];
  for await (const entry of tree.list(folder.path, { recursive: options.recurse ?? false })) {
    const relative = folder.path === '' ? entry.path : entry.path.slice(folder.path.length + 1);
    // Without submodules their folders are empty.
    if (entry.kind === 'submodule') continue;
    // Any link is followed, also one that would not be read: a repository with a way out is not to be trusted.
    const target = entry.kind === 'link' ? await tree.resolve(entry.path) : entry;
    if (options.withoutJsonnet && relative.endsWith('.jsonnet')) continue;
    if (!manifestName.test(relative) || exclude?.(relative) || (include && !include(relative))) continue;
    if (entry.kind === 'link') paths.push({ path: entry.path, oid: entry.oid });
    if (target === undefined) {
      warnings.push(
        diagnose(linkDangling, {
          message: `The symbolic link ${entry.path} leads to nothing and is left out`,
          place: { file: entry.path },
          remedies: ['Remove the link, or add what it leads to'],
        }),
      );
      continue;
    }
    if (target.kind !== 'file') continue;
    paths.push({ path: target.path, oid: target.oid });
    files.push({ path: entry.path, target });
  }
  if (files.length === 0) warnings.push(await emptiness(tree, folder.path, options));
  const digest = createHash('sha256');
  for (const { path, target } of files) digest.update(`${path}\0${target.oid}\0`);
  for (const { place, evidence } of warnings) digest.update(`${place?.file}\0${JSON.stringify(evidence)}\0`);
  return { files, digest: digest.digest('hex'), paths, warnings };
}

const shownFiles = 5;

/** Why no file of a folder is read: what there is, and what of it would be read with other options. */
async function emptiness(tree: GitTree, folder: string, options: ApplicationSourceDirectory): Promise<Diagnosis> {
  const there: string[] = [];
  const deeper: string[] = [];
  const left: string[] = [];
  for await (const { path, kind } of tree.list(folder, { recursive: true })) {
    if (kind === 'submodule') continue;
    const relative = folder === '' ? path : path.slice(folder.length + 1);
    const group = !manifestName.test(relative) ? there : relative.includes('/') && !options.recurse ? deeper : left;
    if (group.length < shownFiles) group.push(path);
    if (deeper.length >= shownFiles) break;
  }
  const { include, exclude } = options;
  const broken = include !== undefined && include !== '' && !isGlob(include);
  const where = folder || 'at the root of the repository';
  return diagnose(sourceEmpty, {
    message: broken
      ? `directory.include of the source, ${JSON.stringify(include)}, is no pattern, so that it fits no file of the folder ${where}: nothing is delivered`
      : `The folder ${where} holds no manifest that is read: nothing is delivered`,
    place: { file: folder || '.' },
    evidence: {
      'manifests in folders below': deeper.join(', ') || undefined,
      'manifests left out': left.join(', ') || undefined,
      'other files': there.join(', ') || undefined,
      'directory.include': include || undefined,
      'directory.exclude': exclude || undefined,
    },
    remedies: [
      ...(broken
        ? [`Close what ${JSON.stringify(include)} opens: [a-z], {a,b}, or a backslash before a bracket that is meant`]
        : []),
      ...(deeper.length > 0 ? ['Set directory.recurse: true in the source, or name the folder that is meant'] : []),
      ...(left.length > 0 && !broken ? ['Correct directory.include and directory.exclude of the source'] : []),
      ...(deeper.length + left.length === 0
        ? ['Commit a manifest (.yaml, .yml or .json) to the folder, or correct spec.source.path']
        : []),
    ],
  });
}

/** Reads and parses the selected files; `evaluate` gives the value of a Jsonnet program. Throws M15 before anything is read if they are too big, and M9 for what is no manifest. */
export async function readManifests(
  tree: GitTree,
  selection: Selection,
  limits: DirectoryLimits,
  evaluate: (path: string) => Promise<unknown>,
): Promise<{ objects: DesiredObject[]; warnings: Diagnosis[] }> {
  await checkSize(tree, selection, limits);
  const warnings = [...selection.warnings];
  const objects: DesiredObject[] = [];
  const contents = selection.files.map(({ target }) => tree.read(target.path, { maxBytes: hardFileLimit }));
  // A failure is thrown where its file is awaited.
  for (const content of contents) content.catch(() => undefined);
  for (const [index, { path }] of selection.files.entries()) {
    const bytes = await contents[index];
    if (!bytes || Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(skipMarker)) continue;
    const isProgram = path.endsWith('.jsonnet');
    for (const object of isProgram
      ? objectsOf(await evaluate(path), path)
      : parseManifest(bytes, path, (warning) => warnings.push(warning))) {
      objects.push(object);
      if (objects.length > limits.objects) throw tooMany(path, limits.objects);
      // Long files must not keep others waiting.
      if (objects.length % 100 === 0) await setImmediate();
    }
  }
  return { objects, warnings };
}

async function checkSize(tree: GitTree, { files }: Selection, { combinedBytes }: DirectoryLimits): Promise<void> {
  if (combinedBytes === 0) return;
  const counted = files.filter(({ path }) => !path.endsWith('.jsonnet'));
  const sizes = await Promise.all(counted.map(async ({ path, target }) => ({ path, size: await tree.size(target) })));
  const total = sizes.reduce((sum, { size }) => sum + size, 0);
  if (total <= combinedBytes) return;
  const top = sizes.sort((a, b) => b.size - a.size).slice(0, 5);
  throw failure(manifestsTooBig, {
    message: `The ${sizes.length} manifest files have ${megabytes(total)} together; the limit is ${megabytes(combinedBytes)}`,
    place: { ...(top[0] ? { file: top[0].path } : {}), revision: tree.commit },
    evidence: Object.fromEntries(top.map(({ path, size }) => [path, megabytes(size)])),
    remedies: [
      'Split the application, or leave files out with directory.exclude',
      {
        text: 'Or raise the limit in the ConfigMap argocd-cmd-params-cm',
        paste: `reposerver.max.combined.directory.manifests.size: ${Math.ceil(total / 1e6)}M`,
      },
    ],
  });
}

function megabytes(bytes: number): string {
  return bytes < 100_000 ? `${bytes} bytes` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function tooMany(file: string, limit: number) {
  return failure(tooManyObjects, {
    message: `The source has more than ${limit} objects`,
    place: { file },
    remedies: ['Split the application, or leave files out with directory.exclude'],
  });
}
