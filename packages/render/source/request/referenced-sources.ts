import { failure } from '@tiphys/diagnosis';
import { type GitTree, nearest, type Observer } from '@tiphys/git';
import { referenceUnusable } from './diagnoses.ts';
import type { ReferencedSource, RenderRequest } from './rendered.ts';

type OpenTree = (source: ReferencedSource) => Promise<GitTree>;

/** The trees of an application's sources that have a `ref`, each opened when the first name leads there. */
export class ReferencedSources {
  readonly #request: RenderRequest;
  readonly #open: OpenTree;
  readonly #observer: Observer;
  readonly #trees = new Map<string, Promise<GitTree>>();

  /** `observer` is told paths as `$ref/path`. */
  constructor(request: RenderRequest, open: OpenTree, observer: Observer) {
    this.#request = request;
    this.#open = open;
    this.#observer = observer;
  }

  /**
   * Where a name such as `$values/prod.yaml` leads: a tree and the rest of the name. Undefined for a name in the source's own
   * repository. Of `spec.sources`, what begins with a dollar sign is a reference, unless it is a variable of the build
   * environment (`isVariable`).
   */
  async find(
    name: string,
    field: string,
    isVariable: (name: string) => boolean,
  ): Promise<{ readonly ref: string; readonly tree: GitTree; readonly rest: string } | undefined> {
    const match = /^\$(?!\$)([^/]*)(.*)$/s.exec(name);
    if (!match) return undefined;
    const [, ref = '', rest = ''] = match;
    const source = this.#request.references?.get(ref);
    if (source === undefined) {
      if (ref.startsWith('{') || isVariable(/^\w*/.exec(ref)?.[0] ?? '')) return undefined;
      throw this.#unknown(ref, field);
    }
    if (source.chart) {
      throw failure(referenceUnusable, {
        message: `source has a 'chart' field defined, but Helm charts are not yet supported for 'ref' sources: "$${ref}"`,
        place: { field },
        remedies: ['Keep the values files in a Git repository, and give its source the ref'],
      });
    }
    let tree = this.#trees.get(ref);
    if (!tree) {
      tree = this.#open(source).then((opened) =>
        opened.observedBy((path, oid) => this.#observer(`$${ref}/${path}`, oid)),
      );
      this.#trees.set(ref, tree);
    }
    return { ref, tree: await tree, rest };
  }

  #unknown(ref: string, field: string) {
    const known = [...(this.#request.references?.keys() ?? [])];
    const near = nearest(ref, known);
    return failure(referenceUnusable, {
      message:
        known.length === 0
          ? `source referenced "$${ref}", but no source has a 'ref' field defined`
          : `source referenced "$${ref}", which is not one of the available sources (${known.map((name) => `$${name}`).join(', ')})`,
      place: { field },
      evidence: { 'nearest names': near.join(', ') || 'none' },
      remedies: [
        {
          text: 'Add a source that has the ref to spec.sources, or correct the name',
          paste: `sources:\n- repoURL: …\n  targetRevision: HEAD\n  ref: ${ref || 'values'}`,
        },
      ],
    });
  }
}
