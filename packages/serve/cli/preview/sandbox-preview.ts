import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { commaList } from '@tiphys/applications';
import type { KubeObject } from '@tiphys/kubernetes';
import { changesOf, type Preview, type PreviewedApplication } from '@tiphys/preview';
import { maskSecrets } from '@tiphys/server';
import type { Surroundings } from '../terminal/command-context.ts';
import { Clone } from './clone.ts';
import { declaredAt, documentsOf } from './declared.ts';
import { type Drawn, drawSide, type Side } from './side.ts';
import { namespace, openStage } from './stage.ts';

export interface SandboxPreviewOptions {
  /** A branch; a commit stands for all applications. */
  readonly base: string;
  readonly head: string;
  /** URL by which applications name the repository, where no remote of the clone has it. */
  readonly repo?: string | undefined;
  /** `[NAMESPACE/]NAME` of the one application that is shown. */
  readonly app?: string | undefined;
  /** Folder of the clone. */
  readonly clone: string;
  /** Files and folders of the repository that declare the applications; all if empty. */
  readonly from: readonly string[];
  /** Files of this machine with settings, repositories and projects that are not in the repository. */
  readonly settings: readonly string[];
}

const isCommit = /^[0-9a-f]{7,64}$/;

/**
 * What a merge of `head` into `base` changes of the manifests of every application that the repository declares, with no server and no
 * cluster: both are rendered here, at `head` and at the commit where it left `base`. What nothing differs for is not rendered twice.
 */
export async function sandboxPreview(
  options: SandboxPreviewOptions,
  { workdir, env, signal, output }: Surroundings,
): Promise<Preview> {
  const { base, head, app } = options;
  const clone = await Clone.at(resolve(workdir, options.clone), options.repo ? [options.repo] : [], signal);
  const headCommit = await clone.commit(head);
  const baseCommit = await clone.mergeBase(await clone.commit(base), headCommit);
  const branch = base.replace(/^(refs\/heads\/|refs\/remotes\/origin\/|origin\/)/, '');
  const main = await clone.defaultBranch();
  const tracks = (revision: string) => {
    if (isCommit.test(base)) return true;
    const named = revision.replace(/^refs\/heads\//, '');
    return named === branch || (named === 'HEAD' && (main === undefined || main === branch));
  };
  const objects: KubeObject[] = [];
  for (const file of options.settings)
    objects.push(...(documentsOf(await readFile(resolve(workdir, file), 'utf8')).filter(Boolean) as KubeObject[]));
  const stage = await openStage({ clone, objects, env, onError: (message) => output.error(message) });
  try {
    const name = app === undefined || app.includes('/') ? app : `${namespace}/${app}`;
    const side = async (commit: string) =>
      drawSide(
        stage,
        { clone, commit, tracks },
        await declaredAt(clone, commit, options.from),
        (key) => name === undefined || key === name,
        signal,
      );
    const before = await side(baseCommit);
    const after = await side(headCommit);
    const settings = objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'argocd-cm');
    const masked = (settings?.data as Record<string, string> | undefined)?.['resource.sensitive.mask.annotations'];
    return previewOf(before, after, commaList(masked));
  } finally {
    await stage.close();
  }
}

function previewOf(before: Side, after: Side, sensitive: readonly string[]): Preview {
  const keys = [...new Set([...before.drawn.keys(), ...after.drawn.keys()])].sort();
  const items = keys.map((key) => itemOf(key, before.drawn.get(key), after.drawn.get(key), sensitive));
  const notes = [...new Set([...before.notes, ...after.notes])];
  return {
    applications: keys.length,
    items: items.filter(({ objects, problem, action }) => objects.length > 0 || problem || action),
    ...(notes.length > 0 ? { notes } : {}),
  };
}

function itemOf(
  key: string,
  base: Drawn | undefined,
  head: Drawn | undefined,
  sensitive: readonly string[],
): PreviewedApplication {
  const [namespace = '', name = ''] = key.split('/');
  const action = base && head ? {} : ({ action: head ? 'create' : 'delete' } as const);
  const named = { namespace, name, ...action };
  const problem = head?.problem;
  if (problem) return { ...named, objects: [], problem, ...(base?.problem ? { before: true } : {}) };
  // without a base everything would look new
  if (base?.problem) return { ...named, objects: [], mended: base.problem };
  const changes = changesOf(base?.objects ?? [], head?.objects ?? [], (pair) => maskSecrets(pair, sensitive));
  return {
    ...named,
    revisions: { base: base?.revisions ?? [], head: head?.revisions ?? [] },
    objects: changes.map(({ change }) => change),
  };
}
