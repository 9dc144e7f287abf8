import type { ApplicationSourceJsonnet } from '@tiphys/api';
import type { GitTree, PathEntry } from '@tiphys/git';
import { attemptOf, type Outcomes } from '../outcomes/outcomes.ts';
import { buildEnvironment, substitute } from '../request/build-environment.ts';
import { digestOf } from '../request/digest-of.ts';
import { libraryFolders, type Resolved, resolveImport, type Wanted } from '../request/jsonnet-imports.ts';
import type { Outcome } from '../request/outcome.ts';
import type { RenderRequest } from '../request/rendered.ts';
import type { Rendering } from '../request/rendering.ts';
import type { SourcePlace, SourceTool } from '../request/source-tool.ts';
import { turnRequest } from '../request/turn-request.ts';
import type { RenderThreads } from '../threads/render-threads.ts';
import { type DirectoryLimits, readManifests, type Selection, selectManifests } from './directory-source.ts';

interface DirectoryParts {
  readonly outcomes: Outcomes;
  readonly threads: RenderThreads;
  readonly limits: DirectoryLimits;
}

const maxKnown = 5_000;
const maxProgramBytes = 20_000_000;

/** Reads folders of manifests and of Jsonnet programs, each once for all that it holds and imports. */
export class DirectoryRenders implements SourceTool {
  readonly #parts: DirectoryParts;
  /** By what is known before a run: what the last one imported. */
  readonly #imports = new Map<string, readonly Wanted[]>();

  constructor(parts: DirectoryParts) {
    this.#parts = parts;
  }

  async render(request: RenderRequest, { tree, folder }: SourcePlace): Promise<Rendering> {
    const { recurse = false, include = '', exclude = '', jsonnet = {} } = request.source.directory ?? {};
    const withoutJsonnet = request.disabledTools?.has('jsonnet') ?? false;
    const selection = await selectManifests(tree, folder, { recurse, include, exclude, withoutJsonnet });
    const options = { type: 'Directory', recurse, include, exclude, ...this.#parts.limits };
    if (selection.files.some(({ path }) => path.endsWith('.jsonnet')))
      return this.#renderPrograms(request, { tree, folder, selection, options, jsonnet });
    const settings = digestOf(options);
    const digest = digestOf([settings, selection.digest]);
    const outcome = await this.#outcome(request, digest, tree, { selection, evaluate: () => Promise.resolve(null) });
    return { outcome, digest, settings, paths: selection.paths, facts: {} };
  }

  /**
   * What programs import is known only after they ran: a render is known by what the last one with the same options and
   * programs imported, and that is looked up again.
   */
  async #renderPrograms(
    request: RenderRequest,
    place: {
      readonly tree: GitTree;
      readonly folder: PathEntry;
      readonly selection: Selection;
      readonly options: object;
      readonly jsonnet: ApplicationSourceJsonnet;
    },
  ): Promise<Rendering> {
    const { tree, folder, selection } = place;
    const facts: Record<string, string> = {};
    const jsonnet = withEnvironment(request, tree.commit, place.jsonnet, facts);
    const folders = [folder.path, ...libraryFolders(jsonnet)];
    const settings = digestOf({ ...place.options, folder: folder.path, jsonnet });
    const known = digestOf([settings, selection.digest]);
    const looked = (wanted: readonly Wanted[]): Promise<Resolved[]> =>
      Promise.all(wanted.map(({ from, how, name }) => resolveImport(tree, { from, how, name }, folders)));
    const noted =
      this.#imports.get(known) ?? ((await this.#parts.outcomes.cache.note(known)) as readonly Wanted[] | undefined);
    const before = await looked(noted ?? []);
    const used = new Map<string, Resolved>();
    const keyOf = (imports: readonly Resolved[]) => digestOf([known, imports]);
    const evaluate = async (main: string) => {
      const renderer = await this.#parts.threads.jsonnet();
      const { signal } = request;
      return renderer.render({
        tree,
        main,
        folder: folder.path,
        options: jsonnet,
        maxBytes: maxProgramBytes,
        onRead: (read) => used.set(JSON.stringify([read.from, read.how, read.name]), read),
        signal,
        ...turnRequest(request),
      });
    };
    const found = noted && !request.noCache ? await this.#parts.outcomes.cache.known(keyOf(before)) : undefined;
    if (found) request.onFound?.(found.at);
    // What is imported besides is not known yet: such an outcome is good for this very tree alone.
    const whole = digestOf([known, await tree.treeOid()]);
    const outcome = found?.outcome ?? (await this.#outcome(request, whole, tree, { selection, evaluate, used }));
    const imports = outcome.imports ?? [];
    this.#remember(known, imports);
    const digest = keyOf(imports);
    // From now on it is known by what it read, whatever else a commit changes.
    this.#parts.outcomes.cache.also(digest, outcome, attemptOf(outcome).bytes);
    return {
      outcome,
      digest,
      settings,
      paths: [...selection.paths, ...imports.flatMap(({ looked: paths }) => paths)],
      facts,
    };
  }

  async #outcome(
    { noCache = false, signal, onFound }: RenderRequest,
    key: string,
    tree: GitTree,
    {
      selection,
      evaluate,
      used,
    }: {
      readonly selection: Selection;
      readonly evaluate: (path: string) => Promise<unknown>;
      readonly used?: ReadonlyMap<string, Resolved>;
    },
  ): Promise<Outcome> {
    const { outcomes, limits } = this.#parts;
    const { outcome, at } = await outcomes.cache.get({ key, noCache, signal }, async () => {
      const attempted = await outcomes.attempt(async () => {
        const { objects, warnings } = await readManifests(tree, selection, limits, evaluate);
        return { objects, warnings };
      });
      return used ? { ...attempted, outcome: { ...attempted.outcome, imports: [...used.values()] } } : attempted;
    });
    onFound?.(at);
    return outcome;
  }

  #remember(known: string, imports: readonly Resolved[]): void {
    if (JSON.stringify(this.#imports.get(known)) !== JSON.stringify(imports))
      this.#parts.outcomes.cache.setNote(known, imports);
    const [oldest] = this.#imports.keys();
    if (this.#imports.size >= maxKnown && oldest !== undefined) this.#imports.delete(oldest);
    this.#imports.set(known, imports);
  }
}

/** The variables of the build environment are replaced in values, code included, as upstream does. */
function withEnvironment(
  request: RenderRequest,
  revision: string,
  { extVars = [], tlas = [], libs = [] }: ApplicationSourceJsonnet,
  facts: Record<string, string>,
): ApplicationSourceJsonnet {
  const environment = buildEnvironment(request, revision);
  const replaced = (list: NonNullable<ApplicationSourceJsonnet['extVars']>) =>
    list.map((variable) => ({
      ...variable,
      value: substitute(variable.value ?? '', environment, (name) => {
        facts[name] = environment[name] ?? '';
      }),
    }));
  return { extVars: replaced(extVars), tlas: replaced(tlas), libs };
}
