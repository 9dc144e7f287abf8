import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Diagnosis, DiagnosisError, diagnosisOf, failure } from '@tiphys/diagnosis';
import type { AppMetadata, PackedFiles } from './app-stream.ts';
import { pluginNotFound } from './diagnoses.ts';
import { type CallOptions, isAway, PluginClient } from './plugin-client.ts';

/** Where sidecars put their sockets if `ARGOCD_PLUGINSOCKFILEPATH` says nothing. */
export const defaultSocketFolder = '/home/argocd/cmp-server/plugins';

/** A plugin whose socket was found. */
export interface FoundPlugin {
  readonly name: string;
  readonly socket: string;
  /** Another one whenever the socket was made anew: what an older one said may be different. */
  readonly identity: string;
}

/** A plugin that takes a source, and whether it wants the credentials of the repository. */
export interface SelectedPlugin extends FoundPlugin {
  readonly provideGitCreds: boolean;
}

export interface PluginQuery {
  /** As `spec.source.plugin.name` has it; the first one whose discovery matches if absent. */
  readonly name?: string;
  readonly metadata: AppMetadata;
  /** Asked for only if some plugin reads the files. */
  readonly files: () => Promise<PackedFiles>;
  /** Equal for equal files and metadata: what a plugin said of them is not asked again. */
  readonly key: string;
}

interface Verdict {
  readonly plugin: FoundPlugin;
  readonly matches: boolean;
  readonly provideGitCreds: boolean;
  readonly error?: DiagnosisError;
}

const rememberedMatches = 10_000;

/** The plugins whose sockets lie in some folders, looked up anew at each call: sidecars come and go. */
export class Plugins {
  readonly #folders: readonly string[];
  readonly #configurations = new Map<string, { isDiscoveryConfigured: boolean; provideGitCreds: boolean }>();
  readonly #matches = new Map<string, boolean>();
  #listing: Promise<FoundPlugin[]> | undefined;

  constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  /** By name; of two with one name the first folder's. Those who ask at the same time share one look at the folders. */
  list(): Promise<FoundPlugin[]> {
    this.#listing ??= this.#list().finally(() => {
      this.#listing = undefined;
    });
    return this.#listing;
  }

  async #list(): Promise<FoundPlugin[]> {
    const found = new Map<string, FoundPlugin>();
    for (const folder of this.#folders) {
      for (const file of await socketsIn(folder)) {
        const name = file.slice(0, -'.sock'.length);
        if (found.has(name)) continue;
        const socket = join(folder, file);
        const info = await stat(socket).catch(() => undefined);
        if (info) found.set(name, { name, socket, identity: `${name} ${info.ino} ${info.ctimeMs}` });
      }
    }
    return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /**
   * The plugin for a source. With a name: that one, unless its own discovery says no. Without: the first in order of names
   * whose discovery matches, undefined if none does; those that could not be asked are told to `onProblem`.
   */
  async select(
    query: PluginQuery,
    options: CallOptions & { onProblem?: (problem: Diagnosis) => void },
  ): Promise<SelectedPlugin | undefined> {
    const plugins = await this.list();
    if (query.name !== undefined) return this.#named(query.name, plugins, query, options);
    for (const plugin of plugins) {
      const { error, matches, provideGitCreds } = await this.#ask(plugin, query, false, options);
      if (error) options.onProblem?.(error.diagnosis);
      if (matches) return { ...plugin, provideGitCreds };
    }
    return undefined;
  }

  /** M7: none of the plugins that are there takes the source. */
  async notFound(name: string | undefined, problems: readonly Diagnosis[] = []): Promise<DiagnosisError> {
    const names = (await this.list()).map((plugin) => plugin.name);
    const which = name === undefined ? 'plugin' : `cmp-server plugin with name "${name}"`;
    return failure(
      pluginNotFound,
      {
        message: `could not find ${which} supporting the given repository`,
        place: { field: name === undefined ? 'spec.source.plugin' : 'spec.source.plugin.name' },
        evidence: {
          'plugins found': names.join(', ') || 'none',
          'looked in': this.#folders.join(', '),
          'says of the source':
            name !== undefined && names.includes(name) && problems.length === 0
              ? 'its discovery (spec.discover of plugin.yaml) does not match'
              : undefined,
        },
        remedies: [
          names.length === 0
            ? 'Start the plugin: its socket has to appear in this folder'
            : name !== undefined && !names.includes(name)
              ? 'Write the name as metadata.name of plugin.yaml, with -version behind it if spec.version is set'
              : 'Correct spec.discover of plugin.yaml, or name the plugin in spec.source.plugin.name',
        ],
        ...(problems.length > 0 ? { causes: problems } : {}),
      },
      { handling: 'retryable' },
    );
  }

  async #named(
    name: string,
    plugins: readonly FoundPlugin[],
    query: PluginQuery,
    options: CallOptions,
  ): Promise<SelectedPlugin> {
    const plugin = plugins.find((one) => one.name === name);
    if (!plugin) throw await this.notFound(name);
    const { error, matches, provideGitCreds } = await this.#ask(plugin, query, true, options);
    if (error) throw await this.notFound(name, [error.diagnosis]);
    if (!matches) throw await this.notFound(name);
    return { ...plugin, provideGitCreds };
  }

  /** A plugin that was named takes the source if it has no discovery. */
  async #ask(plugin: FoundPlugin, query: PluginQuery, named: boolean, options: CallOptions): Promise<Verdict> {
    using client = new PluginClient(plugin.name, plugin.socket);
    try {
      const known = this.#configurations.get(plugin.identity) ?? (await client.check(options));
      const { isDiscoveryConfigured, provideGitCreds } = known;
      this.#configurations.set(plugin.identity, { isDiscoveryConfigured, provideGitCreds });
      if (!isDiscoveryConfigured) return { plugin, matches: named, provideGitCreds };
      const key = `${plugin.identity} ${query.key}`;
      const remembered = this.#matches.get(key);
      if (remembered !== undefined) return { plugin, matches: remembered || false, provideGitCreds };
      const { isSupported, isDiscoveryEnabled } = await client.matches(query.metadata, await query.files(), options);
      const matches = isSupported || (named && !isDiscoveryEnabled);
      if (this.#matches.size >= rememberedMatches) this.#matches.clear();
      this.#matches.set(key, matches);
      return { plugin, matches, provideGitCreds };
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!(error instanceof DiagnosisError)) throw error;
      // A socket that nobody listens on was left behind: the plugin is gone.
      if (isAway(error) && !named) return { plugin, matches: false, provideGitCreds: false };
      return { plugin, matches: false, provideGitCreds: false, error };
    }
  }
}

async function socketsIn(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isSocket() && entry.name.endsWith('.sock')).map(({ name }) => name);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw failure(
      pluginNotFound,
      {
        message: `The folder of the plugins' sockets cannot be read: ${(error as Error).message}`,
        place: { file: folder },
        evidence: { cause: diagnosisOf(error).message },
        remedies: ['Let this process read the folder'],
      },
      { handling: 'retryable', cause: error },
    );
  }
}
