import { createHash } from 'node:crypto';
import type { GitTree, PathEntry } from '@tiphys/git';
import { type DirectoryLimits, readManifests, selectManifests } from './directory-source.ts';
import type { Rendering } from './manifests.ts';
import type { Outcome, RenderCache } from './render-cache.ts';
import type { RenderRequest } from './rendered.ts';

export interface DirectoryParts {
  readonly cache: RenderCache;
  readonly limits: DirectoryLimits;
  /** Keeps what the content itself deserves, good or bad. */
  readonly attempt: (
    render: () => Promise<Omit<Extract<Outcome, { kind: 'objects' }>, 'kind'>>,
  ) => Promise<{ outcome: Outcome; bytes: number }>;
}

/** Reads folders of manifests, each once for all that it holds. */
export class DirectoryRenders {
  readonly #parts: DirectoryParts;

  constructor(parts: DirectoryParts) {
    this.#parts = parts;
  }

  async render(request: RenderRequest, tree: GitTree, folder: PathEntry): Promise<Rendering> {
    const { cache, limits, attempt } = this.#parts;
    const { recurse = false, include = '', exclude = '' } = request.source.directory ?? {};
    const selection = await selectManifests(tree, folder, { recurse, include, exclude });
    const settings = digestOf({ type: 'Directory', recurse, include, exclude, ...limits });
    const digest = digestOf([settings, selection.digest]);
    const { outcome } = await cache.get(
      { key: digest, noCache: request.noCache ?? false, signal: request.signal },
      () =>
        attempt(async () => {
          const { objects, warnings } = await readManifests(tree, selection, limits);
          return { objects, warnings };
        }),
    );
    return { outcome, digest, settings, paths: selection.paths, facts: {} };
  }
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
