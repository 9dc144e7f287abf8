import { basename } from 'node:path/posix';
import { type Diagnosis, diagnose, failure } from '@tiphys/diagnosis';
import type { GitTree } from '@tiphys/git';
import type { Clock } from '@tiphys/kubernetes';
import {
  type AskPass,
  type PackedFiles,
  type ParameterAnnouncement,
  PluginClient,
  type Plugins,
  pluginEnvironment,
  type SelectedPlugin,
} from '@tiphys/plugin';
import type { Outcomes } from '../outcomes/outcomes.ts';
import { buildEnvironment, substitute } from '../request/build-environment.ts';
import { pluginSkipped, tooManyObjects } from '../request/diagnoses.ts';
import { digestOf } from '../request/digest-of.ts';
import { parseRendered } from '../request/parse-manifest.ts';
import type { PluginRequest, RenderRequest } from '../request/rendered.ts';
import type { Rendering } from '../request/rendering.ts';
import type { SourcePlace, SourceTool } from '../request/source-tool.ts';
import { lendCredentials } from './plugin-credentials.ts';
import { below, commonRoot, packTree } from './plugin-files.ts';

interface PluginParts {
  readonly plugins: Plugins;
  readonly askPass: AskPass;
  readonly clock: Clock;
  readonly outcomes: Outcomes;
  /** Objects of one source. */
  readonly objects: number;
  /** Bytes of all files that one plugin is sent. */
  readonly maxBytes: number;
}

/** One question to a plugin about one source. */
interface Question {
  readonly tree: GitTree;
  readonly root: string;
  readonly folder: string;
  readonly rootId: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly exclusions: readonly string[];
  readonly timeout: number;
}

const defaultTimeout = 60_000;
/** What a plugin made of the same files is made again after a day: it may read what no commit tells of. In milliseconds. */
const maxAge = 24 * 3_600_000;
/** A plugin that took a source is waited for this long when it is gone, before the source counts as none of a plugin. */
const searchPeriod = 300_000;
const maxKnown = 5_000;
const keptArchives = 8;

/** Asks plugins for manifests, each once for the same tree, environment and running plugin. */
export class PluginRenders implements SourceTool {
  readonly #parts: PluginParts;
  readonly #archives = new Map<string, Promise<PackedFiles>>();
  readonly #taken = new Map<string, { readonly plugin: string; readonly at: number }>();
  readonly #renderedAt = new Map<string, number>();

  constructor(parts: PluginParts) {
    this.#parts = parts;
  }

  /**
   * Whether a plugin takes a source that names no tool; those that could not be asked are told to `onProblem`. Throws M7 if one took it a moment ago and is gone: its files are not
   * to be applied as plain manifests because a sidecar starts again.
   */
  async takes(
    request: RenderRequest,
    tree: GitTree,
    folder: string,
    onProblem: (problem: Diagnosis) => void,
  ): Promise<boolean> {
    const { plugins, clock } = this.#parts;
    const { application, source } = request;
    const place = JSON.stringify([application.namespace, application.name, source.repoURL, source.path ?? '']);
    const before = this.#taken.get(place);
    const found = await plugins.list();
    if (found.length === 0 && before === undefined) return false;
    const selected = await this.#select(request, await this.#question(request, tree, folder), undefined, (problem) =>
      onProblem(skipped(problem)),
    );
    if (selected) {
      if (this.#taken.size >= maxKnown) this.#taken.clear();
      this.#taken.set(place, { plugin: selected.name, at: clock.now() });
      return true;
    }
    if (before === undefined) return false;
    const isThere = await plugins.list().then((list) => list.some(({ name }) => name === before.plugin));
    if (isThere && (await this.#answers(before.plugin))) {
      this.#taken.delete(place);
      return false;
    }
    if (clock.now() - before.at < searchPeriod) throw await plugins.notFound(before.plugin);
    this.#taken.delete(place);
    return false;
  }

  /** Names of the plugins whose sockets are there now. */
  async names(): Promise<string[]> {
    return (await this.#parts.plugins.list()).map(({ name }) => name);
  }

  async render(request: RenderRequest, { tree, folder: { path: folder } }: SourcePlace): Promise<Rendering> {
    const { outcomes, clock } = this.#parts;
    const question = await this.#question(request, tree, folder);
    const warnings: Diagnosis[] = [];
    const plugin = await this.#required(request, question, (problem) => warnings.push(skipped(problem)));
    const settings = digestOf({
      type: 'Plugin',
      plugin: plugin.identity,
      folder: below(question.root, folder),
      exclusions: question.exclusions,
      environment: question.environment,
      objects: this.#parts.objects,
    });
    const digest = digestOf([settings, question.rootId]);
    const old = clock.now() - (this.#renderedAt.get(digest) ?? clock.now()) > maxAge;
    const { outcome, age, at } = await outcomes.cache.get(
      { key: digest, noCache: (request.noCache ?? false) || old, lasting: false, signal: request.signal },
      (signal) =>
        outcomes.attempt(async () => {
          const objects = await this.#generate(request, question, plugin, signal);
          return { objects, warnings };
        }),
    );
    request.onFound?.(at);
    if (age === 'new') {
      if (this.#renderedAt.size >= maxKnown) this.#renderedAt.clear();
      this.#renderedAt.set(digest, clock.now());
    }
    const text = JSON.stringify(outcome.kind === 'objects' ? outcome.objects : outcome.diagnosis);
    return {
      outcome,
      digest: digestOf([digest, text]),
      settings,
      paths: [{ path: question.root, oid: question.rootId }],
      facts: { plugin: plugin.name },
    };
  }

  /** The parameters that the plugin of a source says it takes. */
  async parameters(request: RenderRequest, tree: GitTree, folder: string): Promise<ParameterAnnouncement[]> {
    const question = await this.#question(request, tree, folder);
    const plugin = await this.#required(request, question, () => undefined);
    using client = new PluginClient(plugin.name, plugin.socket);
    return await client.announce(
      metadataOf(question),
      await this.#packed(question),
      callOptions(question, request.signal),
    );
  }

  async #generate(request: RenderRequest, question: Question, plugin: SelectedPlugin, signal: AbortSignal) {
    const lent = plugin.provideGitCreds ? await lendCredentials(request.repository, this.#parts.askPass) : undefined;
    try {
      using client = new PluginClient(plugin.name, plugin.socket);
      const metadata = metadataOf(question);
      const environment = { ...metadata.environment, ...lent?.environment };
      const options = callOptions(question, signal);
      const texts = await client.generate({ ...metadata, environment }, await this.#packed(question), options);
      const file = `plugin ${plugin.name}`;
      const objects = texts.flatMap((text) => [...parseRendered(text, file, () => undefined)]);
      if (objects.length <= this.#parts.objects) return objects;
      throw failure(tooManyObjects, {
        message: `The source has more than ${this.#parts.objects} objects`,
        place: { file },
        remedies: ['Split the application'],
      });
    } finally {
      await lent?.giveBack();
    }
  }

  async #required(
    request: RenderRequest,
    question: Question,
    onProblem: (problem: Diagnosis) => void,
  ): Promise<SelectedPlugin> {
    const problems: Diagnosis[] = [];
    const name = request.source.plugin?.name || undefined;
    const selected = await this.#select(request, question, name, (problem) => {
      problems.push(problem);
      onProblem(problem);
    });
    if (selected) return selected;
    throw await this.#parts.plugins.notFound(name, problems);
  }

  #select(
    { signal }: RenderRequest,
    question: Question,
    name: string | undefined,
    onProblem: (problem: Diagnosis) => void,
  ): Promise<SelectedPlugin | undefined> {
    const { rootId, folder, environment, exclusions } = question;
    return this.#parts.plugins.select(
      {
        ...(name === undefined ? {} : { name }),
        metadata: metadataOf(question),
        files: () => this.#packed(question),
        key: digestOf([rootId, folder, environment, exclusions]),
      },
      { ...callOptions(question, signal), onProblem },
    );
  }

  async #answers(name: string): Promise<boolean> {
    const plugin = (await this.#parts.plugins.list()).find((one) => one.name === name);
    if (!plugin) return false;
    using client = new PluginClient(plugin.name, plugin.socket);
    return await client.check({ timeout: defaultTimeout }).then(
      () => true,
      () => false,
    );
  }

  async #question(request: RenderRequest, tree: GitTree, folder: string): Promise<Question> {
    const { generatePaths = '', tarExclusions = [], timeout = defaultTimeout }: PluginRequest = request.plugins ?? {};
    const root = commonRoot(folder, generatePaths);
    const build = buildEnvironment(request, tree.commit);
    const kubeVersion = /\d+(?:\.\d+)*/.exec(request.cluster?.kubeVersion ?? '')?.[0] ?? '';
    const base = {
      ...build,
      KUBE_VERSION: kubeVersion,
      KUBE_API_VERSIONS: (request.cluster?.apiVersions ?? []).join(','),
    };
    const environment = pluginEnvironment(base, request.source.plugin, (text) => substitute(text, base));
    return {
      tree,
      root,
      folder,
      rootId: (await tree.treeOid(root)) ?? '',
      environment,
      exclusions: tarExclusions,
      timeout,
    };
  }

  /** Many applications of one repository are sent the same files. */
  #packed({ tree, root, rootId, exclusions }: Question): Promise<PackedFiles> {
    const key = digestOf([rootId, root, exclusions]);
    const known = this.#archives.get(key);
    if (known) return known;
    const packed = packTree(tree, { root, exclusions, maxBytes: this.#parts.maxBytes });
    packed.then(
      ({ data }) => data.length > this.#parts.maxBytes / keptArchives && this.#archives.delete(key),
      () => this.#archives.delete(key),
    );
    const [oldest] = this.#archives.keys();
    if (this.#archives.size >= keptArchives && oldest !== undefined) this.#archives.delete(oldest);
    this.#archives.set(key, packed);
    return packed;
  }
}

function skipped(problem: Diagnosis): Diagnosis {
  return diagnose(pluginSkipped, {
    message: `A plugin could not be asked whether the source is its own: ${problem.message}`,
    ...(problem.place ? { place: problem.place } : {}),
    remedies: ['Correct its discovery, or name the tool of the source, such as spec.source.plugin.name'],
    causes: [problem],
  });
}

function metadataOf({ root, folder, environment }: Question) {
  return { appName: basename(folder) || 'root', appRelPath: below(root, folder) || '.', environment };
}

function callOptions({ timeout }: Question, signal: AbortSignal | undefined) {
  return { timeout, ...(signal ? { signal } : {}) };
}
