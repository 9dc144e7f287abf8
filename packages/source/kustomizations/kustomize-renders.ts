import { createHash } from 'node:crypto';
import type { GitRepositories, GitTree } from '@tiphys/git';
import { buildEnvironment, substitute } from './build-environment.ts';
import { ownerOf } from './generated-values.ts';
import { kustomizeInvocation, lookAt, plainInvocation, remoteCommit, renderKustomization } from './kustomize-source.ts';
import type { Rendering } from './manifests.ts';
import type { Looked, Outcome, RenderCache } from './render-cache.ts';
import type { RenderRequest } from './rendered.ts';

type Attempt = { outcome: Outcome; bytes: number };

interface KustomizeParts {
  readonly git: GitRepositories;
  readonly cache: RenderCache;
  /** Objects of one source. */
  readonly objects: number;
  /** Bytes of one file. */
  readonly maxBytes: number;
  /** Keeps what the content itself deserves, good or bad. */
  readonly attempt: (render: () => Promise<Omit<Extract<Outcome, { kind: 'objects' }>, 'kind'>>) => Promise<Attempt>;
  /** The known outcome for the asker, or that of the render. */
  readonly generating: (digest: string, request: RenderRequest, render: () => Promise<Attempt>) => Promise<Outcome>;
}

const maxKnown = 5_000;
const nothingLooked: Looked = { paths: [], remotes: {} };

/** Builds kustomizations, each once for all that it read. */
export class KustomizeRenders {
  readonly #parts: KustomizeParts;
  /** By repository and options: what the last build looked at. */
  readonly #known = new Map<string, Looked>();

  constructor(parts: KustomizeParts) {
    this.#parts = parts;
  }

  /**
   * What a kustomization reads is known only after it was built: a render is known by what the last one with the same options
   * read, and that is looked at again.
   */
  async render(request: RenderRequest, tree: GitTree, folder: string): Promise<Rendering> {
    const { git, objects: maxObjects, maxBytes, attempt: attempted, generating } = this.#parts;
    const lookAtAll = (at: GitTree, asked: ReadonlyMap<string, boolean>) =>
      Promise.all(
        [...asked].map(async ([path, listed]) => ({ asked: path, listed, found: await lookAt(at, path, listed) })),
      );
    const environment = buildEnvironment(request, tree.commit);
    const facts: Record<string, string> = {};
    const invocation = kustomizeInvocation(request, (text) =>
      substitute(text, environment, (name) => {
        facts[name] = environment[name] ?? '';
      }),
    );
    const settings = digestOf({
      type: 'Kustomize',
      folder,
      invocation: plainInvocation(invocation),
      objects: maxObjects,
    });
    const place = digestOf([request.repository.url, settings]);
    const known = this.#known.get(place);
    const before = known && (await this.#looked(request, tree, known));
    const render = async () => {
      const asked = new Map<string, boolean>();
      const remotes: Record<string, string> = {};
      const attempt = await attempted(async () => {
        const { objects, used, fresh } = await renderKustomization(request, tree, folder, invocation, {
          git,
          remotes,
          looked: asked,
          maxObjects,
          maxBytes,
        });
        const generated = used.length > 0 ? { owner: ownerOf(request), used, fresh } : undefined;
        return { objects, warnings: [], ...(generated ? { generated } : {}) };
      });
      return { ...attempt, outcome: { ...attempt.outcome, looked: { paths: await lookAtAll(tree, asked), remotes } } };
    };
    let outcome = await generating(digestOf([settings, before ?? [await tree.treeOid()]]), request, render);
    let seen = outcome.looked ?? nothingLooked;
    if (!before && Object.keys(seen.remotes).length > 0) {
      // What others built of this tree says nothing of where the remote bases are now.
      const now = await this.#looked(request, tree, seen);
      if (digestOf(now) !== digestOf(seen)) {
        outcome = await generating(digestOf([settings, now]), request, render);
        seen = outcome.looked ?? nothingLooked;
      }
    }
    await this.#remember(place, settings, seen, outcome, request);
    const used = outcome.kind === 'objects' ? outcome.generated?.used : undefined;
    if (used) facts.generated = digestOf(used);
    return {
      outcome,
      digest: digestOf([settings, seen, facts]),
      settings,
      paths: seen.paths.flatMap(({ found }) => (found.oid === 'folder' ? [] : [found])),
      facts: {
        ...facts,
        ...Object.fromEntries(Object.entries(seen.remotes).map(([base, at]) => [`base ${base}`, at])),
      },
    };
  }

  /** The outcome is known from now on by what it read, whatever else a commit changes. */
  async #remember(
    place: string,
    settings: string,
    seen: Looked,
    outcome: Outcome,
    { signal }: RenderRequest,
  ): Promise<void> {
    if (this.#known.size >= maxKnown && !this.#known.has(place)) this.#known.clear();
    this.#known.set(place, seen);
    if (outcome.kind === 'objects' && outcome.generated) return;
    const bytes = outcome.kind === 'objects' ? 2_000 + outcome.objects.length * 3_000 : 4_000;
    await this.#parts.cache.get({ key: digestOf([settings, seen]), noCache: false, signal }, async () => ({
      outcome,
      bytes,
    }));
  }

  /** What is there now of all that was looked at. */
  async #looked(request: RenderRequest, tree: GitTree, known: Looked): Promise<Looked> {
    const paths = await Promise.all(
      known.paths.map(async ({ asked, listed }) => ({ asked, listed, found: await lookAt(tree, asked, listed) })),
    );
    const remotes: Record<string, string> = {};
    for (const base of Object.keys(known.remotes)) remotes[base] = await remoteCommit(request, this.#parts.git, base);
    return { paths, remotes };
  }
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
