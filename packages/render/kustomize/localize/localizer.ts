import { GoError, goMessageOf, reworded, wrapped, wrapping } from '../failure/go-error.ts';
import type { GeneratorArgs, Kustomization, Patch } from '../kustomization/kustomization.ts';
import { kustomizationFileNames, parseKustomization } from '../kustomization/read-kustomization.ts';
import { isInside, joinPath, parentOf } from '../load/file-tree.ts';
import type { Loader } from '../load/loader.ts';
import { Scopes } from '../resource/cluster-scope.ts';
import { readResources } from '../resource/read-resources.ts';
import { ResourceMap } from '../resource/resource-map.ts';
import { fileAddressPath, relativePath, repositoryAddressPath, storeName } from './local-paths.ts';
import { localizePlugin } from './localize-plugin.ts';

/** Takes the localized copy; paths count from its root. */
export interface LocalizedFiles {
  write(path: string, data: Uint8Array | string): void;
  has(path: string): boolean;
}

/** Bounds of references between local roots. */
export interface LocalizeBounds {
  /** Folder that local references must stay in. */
  readonly scope: string;
  /** The copy itself, which nothing may refer to. */
  readonly destination: string;
}

/** Copies kustomizations with all that they name, so that nothing has to be fetched any more. */
export class Localizer {
  readonly #loader: Loader;
  /** Folder of the copy that is this kustomization's. */
  readonly #folder: string;
  readonly #files: LocalizedFiles;
  readonly #bounds: LocalizeBounds | undefined;
  readonly #print: (fields: Kustomization) => string;
  readonly #scopes = new Scopes();

  /** Without `bounds` the kustomization is of a remote repository, which bounds it already. */
  constructor(parts: {
    readonly loader: Loader;
    readonly folder: string;
    readonly files: LocalizedFiles;
    readonly bounds: LocalizeBounds | undefined;
    readonly print: (fields: Kustomization) => string;
  }) {
    this.#loader = parts.loader;
    this.#folder = parts.folder;
    this.#files = parts.files;
    this.#bounds = parts.bounds;
    this.#print = parts.print;
  }

  async localize(): Promise<void> {
    const { name, fields } = await this.#read();
    await this.#native(fields);
    for (const field of ['generators', 'transformers', 'validators'] as const)
      fields[field] = await this.#each(fields[field], (entry) => this.#plugin(entry, field));
    this.#files.write(this.#at(name), this.#print(fields));
  }

  #at(path: string): string {
    return joinPath(this.#folder, path);
  }

  async #read(): Promise<{ name: string; fields: Kustomization }> {
    for (const name of kustomizationFileNames) {
      if ((await this.#loader.tree.find(joinPath(this.#loader.root, name)))?.kind !== 'file') continue;
      const { fields } = parseKustomization(await this.#loader.load(name), this.#loader.display(name));
      return { name, fields };
    }
    throw new GoError(
      `unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in directory '${this.#loader.root}'`,
      { remedies: ['Name a folder that has a kustomization'] },
    );
  }

  async #each<T>(list: readonly T[] | undefined, change: (entry: T) => Promise<T>): Promise<T[]> {
    const changed: T[] = [];
    for (const entry of list ?? []) changed.push(await change(entry));
    return changed;
  }

  /** The fields whose paths Kustomize itself knows. */
  async #native(fields: Kustomization): Promise<void> {
    const path = fields.openapi?.get('path');
    if (fields.openapi && path)
      fields.openapi = new Map([
        ...fields.openapi,
        ['path', await wrapping('unable to localize openapi path', () => this.file(path))],
      ]);
    const list = async (
      field: 'bases' | 'components' | 'configurations' | 'crds' | 'resources' | 'patchesStrategicMerge',
      change: (entry: string) => Promise<string>,
    ): Promise<void> => {
      const changed = await wrapping(`unable to localize ${field} entry`, () => this.#each(fields[field], change));
      if (changed.length > 0) fields[field] = changed;
    };
    await list('bases', (entry) => this.#root(entry));
    await list('components', (entry) => this.#root(entry));
    await list('configurations', (entry) => this.file(entry));
    await list('crds', (entry) => this.file(entry));
    await list('resources', (entry) => this.#resource(entry));
    for (const field of ['configMapGenerator', 'secretGenerator'] as const)
      fields[field] = await wrapping(`unable to localize ${field}`, () =>
        this.#each(fields[field], (generator) => this.#generator(generator)),
      );
    await this.#charts(fields);
    for (const field of ['patches', 'patchesJson6902'] as const)
      fields[field] = await wrapping(`unable to localize ${field}`, () =>
        this.#each<Patch>(fields[field], async (patch) =>
          patch.path ? { ...patch, path: await this.file(patch.path) } : patch,
        ),
      );
    await list('patchesStrategicMerge', (entry) => this.resourceEntry(entry));
    fields.replacements = await wrapping('unable to localize replacements entry', () =>
      this.#each(fields.replacements, async (entry) =>
        entry.path ? { ...entry, path: await this.file(entry.path) } : entry,
      ),
    );
  }

  async #generator(generator: GeneratorArgs): Promise<GeneratorArgs> {
    const { env, envs, files } = generator;
    return {
      ...generator,
      ...(env ? { env: await wrapping('unable to localize generator env file', () => this.file(env)) } : {}),
      envs: await wrapping('unable to localize generator envs file', () => this.#each(envs, (path) => this.file(path))),
      files: await this.#each(files, (source) => this.fileSource(source)),
    };
  }

  /** A file of a generator: `path` or `key=path`. */
  async fileSource(source: string): Promise<string> {
    const [key = '', file, ...more] = source.split('=');
    if (more.length > 0) throw new GoError(`source "${source}" key name or file path contains '='`);
    if (key === '' && file !== undefined)
      throw new GoError(`missing key name for file path "${file}" in source "${source}"`);
    if (file === '') throw new GoError(`missing file path for key name "${key}" in source "${source}"`);
    const path = await wrapping(`invalid file source "${source}"`, () => this.file(file ?? key));
    return file === undefined ? path : `${key}=${path}`;
  }

  async #charts(fields: Kustomization): Promise<void> {
    for (const [i, chart] of (fields.helmChartInflationGenerator ?? []).entries()) {
      const entry = `helmChartInflationGenerator entry ${i}`;
      const { values, chartHome } = chart;
      if (values) chart.values = await wrapping(`unable to localize ${entry} values`, () => this.file(values));
      const home = await wrapping(`unable to copy ${entry}`, () => this.chartHome(chartHome ?? ''));
      if (home) chart.chartHome = home;
    }
    for (const [i, chart] of (fields.helmCharts ?? []).entries()) {
      const { valuesFile, additionalValuesFiles } = chart;
      const what = `unable to localize helmCharts entry ${i}`;
      if (valuesFile) chart.valuesFile = await wrapping(`${what} valuesFile`, () => this.file(valuesFile));
      const more = await wrapping(`${what} additionalValuesFiles`, () =>
        this.#each(additionalValuesFiles, (path) => this.file(path)),
      );
      if (more.length > 0) chart.additionalValuesFiles = more;
    }
    const { helmGlobals } = fields;
    if (helmGlobals) {
      const home = await wrapping('unable to copy helmGlobals', () => this.chartHome(helmGlobals.chartHome ?? ''));
      if (home) helmGlobals.chartHome = home;
    } else if (fields.helmCharts?.length) await wrapping('unable to copy default chart home', () => this.chartHome(''));
  }

  /** Copies a folder of charts, if it is there; links are left out. */
  async chartHome(entry: string): Promise<string> {
    const path = entry || 'charts';
    if (path.startsWith('/')) throw new GoError(`absolute path "${path}" not handled in alpha`);
    return wrapping(`unable to copy home "${entry}"`, async () => {
      const { tree, root } = this.#loader;
      const found = await tree.find(joinPath(root, path));
      const plain = relativePath(root, joinPath(root, path));
      if (!found) return entry === '' ? '' : plain;
      const home = await wrapping('invalid chart home', () => this.#open(plain));
      const to = plain === 'charts' ? plain : relativePath(root, home.root);
      if (!this.#files.has(this.#at(to)))
        for (const file of (await tree.list?.(home.root)) ?? []) {
          const at = joinPath(home.root, file);
          const target = await tree.find(at);
          if (target?.kind === 'file' && target.path === at)
            this.#files.write(joinPath(this.#at(to), file), await tree.read(at));
        }
      return entry === '' ? '' : to;
    });
  }

  /** A file that is named; gives its path in the copy. */
  async file(path: string): Promise<string> {
    return path === '' ? '' : this.#write(path, await this.#load(path));
  }

  async #load(path: string): Promise<Uint8Array> {
    const data = await wrapping('invalid file reference', () => this.#loader.load(path));
    if (!isAddress(path) && this.#bounds) {
      const at = joinPath(this.#loader.root, await this.#cleaned(path));
      if (isInside(parentOf(at), this.#bounds.destination))
        throw new GoError(`file "${path}" at "${at}" enters localize destination "${this.#bounds.destination}"`);
    }
    return data;
  }

  /** The path of the file itself, links followed, from the kustomization. */
  async #cleaned(path: string): Promise<string> {
    const at = path.startsWith('/') ? path : joinPath(this.#loader.root, path);
    return relativePath(this.#loader.root, (await this.#loader.tree.find(at))?.path ?? at);
  }

  async #write(path: string, data: Uint8Array | string): Promise<string> {
    if (isAddress(path)) await this.#refuseStore(`file "${path}"`);
    const to = isAddress(path) ? fileAddressPath(path) : await this.#cleaned(path);
    this.#files.write(this.#at(to), data);
    return to;
  }

  async #refuseStore(what: string): Promise<void> {
    const { tree, root } = this.#loader;
    if (await tree.find(joinPath(root, storeName)))
      throw new GoError(`${root} already contains ${storeName} needed to store ${what}`);
  }

  /** A file with resources, or a folder or repository. */
  async #resource(path: string): Promise<string> {
    let fileError: GoError;
    try {
      const data = await this.#load(path);
      await wrapping(`invalid resource at file "${path}"`, () => this.#parse(data, path));
      return await this.#write(path, data);
    } catch (error) {
      fileError = reworded(error, goMessageOf(error));
    }
    try {
      return await this.#root(path);
    } catch (error) {
      throw reworded(
        error,
        `could not localize path "${path}" as file: ${fileError.message}; could not localize path "${path}" as directory: ${goMessageOf(error)}`,
      );
    }
  }

  #parse(data: Uint8Array | string, path: string): ResourceMap {
    return new ResourceMap(readResources(data, { file: this.#loader.display(path) }, this.#scopes));
  }

  async #open(path: string): Promise<Loader> {
    const loader = await wrapping('invalid root reference', () => this.#loader.open(path));
    const bounds = this.#bounds;
    if (loader.repository) {
      if (loader.repository.ref === '')
        throw new GoError(`localize remote root "${path}" missing ref query string parameter`, {
          remedies: ['Add ?ref= with a tag or commit, so that the copy is of something that stays'],
        });
    } else if (bounds) {
      if (!isInside(loader.root, bounds.scope))
        throw new GoError(`root "${loader.root}" outside localize scope "${bounds.scope}"`, {
          remedies: ['Give --scope a folder that has all roots'],
        });
      if (isInside(loader.root, bounds.destination))
        throw new GoError(`root "${loader.root}" references into localize destination "${bounds.destination}"`);
    }
    return loader;
  }

  async #root(path: string): Promise<string> {
    if (path === '') return '';
    const loader = await this.#open(path);
    if (loader.repository) await this.#refuseStore(`root "${path}"`);
    const to = loader.repository
      ? repositoryAddressPath(loader.repository, loader.repositoryFolder, loader.root)
      : relativePath(this.#loader.root, loader.root);
    const local = new Localizer({
      loader,
      folder: this.#at(to),
      files: this.#files,
      bounds: loader.repository ? undefined : this.#bounds,
      print: this.#print,
    });
    await wrapping(`unable to localize root "${path}"`, () => local.localize());
    return to;
  }

  /** An entry that is a resource, or a file with one. */
  async resourceEntry(entry: string): Promise<string> {
    return (await this.#loadEntry(entry)).isFile ? this.file(entry) : entry;
  }

  async #loadEntry(entry: string): Promise<{ resources: ResourceMap; isFile: boolean }> {
    let inline: unknown;
    try {
      return { resources: this.#parse(entry, 'inline'), isFile: false };
    } catch (error) {
      inline = error;
    }
    try {
      return { resources: this.#parse(await this.#load(entry), entry), isFile: true };
    } catch (error) {
      throw reworded(
        error,
        `unable to load resource entry "${entry}": when parsing as inline received error: ${goMessageOf(inline)}\nwhen parsing as filepath received error: ${goMessageOf(error)}`,
      );
    }
  }

  /** The configuration of plugins, in the kustomization or in a file. */
  async #plugin(entry: string, field: string): Promise<string> {
    const { resources, isFile } = await wrapping(`unable to load ${field} entry`, () => this.#loadEntry(entry));
    for (const resource of resources.resources) {
      try {
        await localizePlugin(resource, this);
      } catch (error) {
        throw wrapped(error, `plugin ${resource.kind} ${resource.name}`);
      }
    }
    const text = resources.resources.map((resource) => resource.asYaml()).join('---\n');
    return isFile ? wrapping(`unable to localize ${field} entry`, () => this.#write(entry, text)) : text;
  }
}

const isAddress = (path: string): boolean => /^https?:\/\//i.test(path);
