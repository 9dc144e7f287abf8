import { DiagnosisError } from '@tiphys/diagnosis';
import { loadCrdConfig } from '../config/crd-config.ts';
import { loadTransformerConfig } from '../config/transformer-config.ts';
import type { BuildContext } from '../context/build-context.ts';
import { GoError, goMessageOf, reworded, wrapped, wrapping } from '../failure/go-error.ts';
import { type KustomizationFile, readKustomization } from '../kustomization/read-kustomization.ts';
import type { Loader } from '../load/loader.ts';
import { externalGenerators, externalTransformers } from '../plugin/external-plugins.ts';
import { originAnnotation } from '../resource/build-annotations.ts';
import { appendOrigin, formatOrigin, joinRelative, type MetadataOrigin } from '../resource/origin.ts';
import { readResources } from '../resource/read-resources.ts';
import { ResourceMap } from '../resource/resource-map.ts';
import { applyFieldSpec, entrySetter } from '../transform/field-spec.ts';
import { Accumulator } from './accumulator.ts';
import { builtinGenerators } from './builtin-generators.ts';
import { builtinTransformers } from './builtin-transformers.ts';
import { runValidators } from './run-validators.ts';
import { mergeVars } from './vars.ts';

/** One kustomization with what it names. */
export class Target {
  readonly loader: Loader;
  readonly file: KustomizationFile;
  readonly #context: BuildContext;
  /** Set if buildMetadata asks for it. */
  #origin: MetadataOrigin | undefined;

  constructor(loader: Loader, file: KustomizationFile, context: BuildContext, origin: MetadataOrigin | undefined) {
    this.loader = loader;
    this.file = file;
    this.#context = context;
    this.#origin = origin;
  }

  /** Everything that the kustomization makes; `into` is the accumulator of a component's parent. */
  async accumulate(into: Accumulator = new Accumulator()): Promise<Accumulator> {
    const { fields } = this.file;
    let accumulator = await wrapping('accumulating resources', () =>
      this.#resources(into, fields.resources ?? [], 'resources'),
    );
    accumulator.mergeConfig(
      await this.#guarded('configurations', () => loadTransformerConfig(this.loader, fields.configurations ?? [])),
    );
    const crds = fields.crds ?? [];
    accumulator.mergeConfig(
      await this.#guarded('crds', () =>
        wrapping(`loading CRDs [${crds.join(' ')}]`, () => loadCrdConfig(this.loader, crds)),
      ),
    );
    await this.#generate(accumulator);
    accumulator = await wrapping('accumulating components', () =>
      this.#components(accumulator, fields.components ?? []),
    );
    await this.#transform(accumulator);
    await this.#guarded('validators', async () =>
      runValidators(accumulator.resources, await this.#plugins(fields.validators ?? [], 'validators')),
    );
    await this.#guarded('vars', () => mergeVars(accumulator, fields.vars ?? [], (i) => this.#place('vars', i)));
    return accumulator;
  }

  #place(entry: string, index: number): { file: string; line: number; field: string } {
    return { file: this.file.file, line: this.file.lineOf([entry, index]), field: `${entry}[${index}]` };
  }

  /** Names the entry in what fails inside. */
  async #guarded<T>(entry: string, body: () => T | Promise<T>, index: readonly number[] = []): Promise<T> {
    try {
      return await body();
    } catch (error) {
      const line = this.file.lineOf([entry, ...index]);
      const title = `${entry}${index.map((i) => `[${i}]`).join('')}`;
      const failed = reworded(error, goMessageOf(error), { place: { file: this.file.file, line, field: title } });
      failed.trail.push(`${this.file.file}:${line} ${title}`);
      throw failed;
    }
  }

  async #resources(accumulator: Accumulator, paths: readonly string[], entry: string): Promise<Accumulator> {
    let result = accumulator;
    for (const [i, path] of paths.entries())
      result = await this.#guarded(entry, () => this.#resource(result, path), [i]);
    return result;
  }

  /** A path is tried as a file first, then as a folder or repository. */
  async #resource(accumulator: Accumulator, path: string): Promise<Accumulator> {
    let fileError: GoError;
    try {
      await this.#file(accumulator, path);
      return accumulator;
    } catch (error) {
      fileError = reworded(error, goMessageOf(error));
    }
    if (fileError.marks.has('http')) throw fileError;
    let loader: Loader;
    try {
      loader = await this.loader.open(path);
    } catch (error) {
      if (fileError.marks.has('malformed-yaml')) throw fileError;
      throw this.#neither(fileError, error);
    }
    try {
      return await this.#folder(accumulator, loader, path, false);
    } catch (error) {
      throw wrapped(error, `accumulation err='${fileError.message}'`);
    }
  }

  /** The words are Kustomize's, of both trials; the place and the cause are those of the one that counts. */
  #neither(asFile: GoError, asFolder: unknown): GoError {
    const both = wrapped(asFolder, `accumulation err='${asFile.message}'`);
    const missing = asFile.marks.has('missing-path');
    const asRepository = wrapped(asFolder, '').cause instanceof DiagnosisError || asFile.marks.has('repository-url');
    const cause = asFile.marks.has('is-folder') || asRepository ? (asFolder as unknown) : (asFile.cause ?? asFile);
    both.cause = cause instanceof GoError ? (cause.cause ?? cause) : cause;
    if (asFile.place) both.place = asFile.place;
    Object.assign(both.evidence, asFile.evidence);
    both.remedies.unshift(...asFile.remedies);
    for (const mark of asFile.marks) both.marks.add(mark);
    if (missing) both.remedies.push('Correct the path: it counts from the folder of the kustomization');
    return both;
  }

  async #file(accumulator: Accumulator, path: string): Promise<void> {
    const resources = await wrapping(`accumulating resources from '${path}'`, async () => {
      const data = await this.loader.load(path);
      try {
        return new ResourceMap(readResources(data, { file: this.loader.display(path) }, this.#context.scopes));
      } catch (error) {
        throw inFile(error, path);
      }
    });
    if (this.#origin) {
      const text = formatOrigin(appendOrigin(this.#origin, path));
      const stamp = {
        origin: { file: this.file.file, entry: 'buildMetadata' },
        line: this.file.lineOf(['buildMetadata']),
      };
      await wrapping(`cannot add path annotation for '${path}'`, () => {
        for (const resource of resources.resources)
          applyFieldSpec(
            resource,
            { path: 'metadata/annotations', create: true },
            { set: entrySetter(originAnnotation, text, stamp), createKind: 'map', createTag: '!!map' },
          );
      });
    }
    await wrapping(`merging resources from '${path}'`, () => accumulator.resources.appendAll(resources));
  }

  async #components(accumulator: Accumulator, paths: readonly string[]): Promise<Accumulator> {
    let result = accumulator;
    for (const [i, path] of paths.entries()) {
      result = await this.#guarded('components', async () => {
        let loader: Loader;
        try {
          loader = await this.loader.open(path);
        } catch (error) {
          throw reworded(error, `loader.New ${JSON.stringify(goMessageOf(error))}`);
        }
        try {
          return await this.#folder(result, loader, path, true);
        } catch (error) {
          throw reworded(error, `accumulateDirectory: ${JSON.stringify(goMessageOf(error))}`);
        }
      }, [i]);
    }
    return result;
  }

  async #folder(accumulator: Accumulator, loader: Loader, path: string, component: boolean): Promise<Accumulator> {
    const { root } = loader;
    const file = await wrapping(`couldn't make target for path '${root}'`, () =>
      readKustomization(loader, this.#context.warn),
    );
    const { fields } = file;
    const own = this.file.fields;
    if (own.buildMetadata) fields.buildMetadata = own.buildMetadata;
    else delete fields.buildMetadata;
    await loadSchema(loader, file, this.#context, false);
    const place = { place: { file: file.file, line: file.lineOf(['kind']) } };
    if (component && fields.kind !== 'Component')
      throw new GoError(`expected kind 'Component' for path '${root}' but got '${fields.kind}'`, {
        ...place,
        remedies: ['Name a Kustomization in resources, and a Component in components'],
      });
    if (!component && fields.kind === 'Component')
      throw new GoError(`expected kind != 'Component' for path '${root}'`, {
        ...place,
        remedies: ['Name a Component in components, not in resources'],
      });
    const origin = this.#origin && appendOrigin(this.#origin, path);
    // Charts of a base inherit the namespace, and nothing else of it does.
    const context = own.namespace ? { ...this.#context, helmNamespace: own.namespace } : this.#context;
    const target = new Target(loader, file, context, origin);
    // A component works on what its parent has gathered so far.
    const made = await wrapping(`recursed accumulation of path '${root}'`, () =>
      target.accumulate(component ? accumulator : undefined),
    );
    const result = component ? new Accumulator() : accumulator;
    await wrapping(`recursed merging from path '${root}'`, () => result.merge(made));
    return result;
  }

  async #generate(accumulator: Accumulator): Promise<void> {
    const builtin = await builtinGenerators(this.loader, this.file, this.#context);
    const { generators: paths = [] } = this.file.fields;
    const external = await this.#guarded('generators', () =>
      wrapping('loading generator plugins', async () =>
        externalGenerators(await this.#configs(paths, 'generators'), this.#plugin),
      ),
    );
    for (const generator of [...builtin, ...external]) {
      const made = await generator.generate();
      made.addOrigin(generator.originText ?? this.#configuredBy(generator.name));
      await wrapping(`merging from generator ${generator.description ?? generator.name}`, () =>
        accumulator.resources.absorb(made),
      );
    }
  }

  /** The annotation's text for what a built-in plugin of this kustomization made or changed. */
  #configuredBy(kind: string): string | undefined {
    if (!this.#origin) return undefined;
    return formatOrigin(
      { repo: this.#origin.repo, ref: this.#origin.ref },
      { in: joinRelative(this.#origin.path, this.file.name), by: { apiVersion: 'builtin', kind } },
    );
  }

  async #transform(accumulator: Accumulator): Promise<void> {
    const builtin = await builtinTransformers(this.loader, this.file, accumulator.config, this.#context);
    const external = await this.#plugins(this.file.fields.transformers ?? [], 'transformers');
    const { resources } = accumulator;
    for (const transformer of [...builtin, ...external]) {
      await transformer.transform(resources);
      if (this.#origin) {
        const text = transformer.originText ?? this.#configuredBy(transformer.name);
        if (text !== undefined) resources.addTransformation(text);
      }
      resources.dropEmpty();
    }
  }

  async #plugins(entries: readonly string[], field: string) {
    return this.#guarded(field, async () => externalTransformers(await this.#configs(entries, field), this.#plugin));
  }

  get #plugin() {
    return { loader: this.loader, kustomization: this.file, context: this.#context };
  }

  /** Plugin configurations: written inline, or in files and folders. */
  async #configs(entries: readonly string[], field: string): Promise<ResourceMap> {
    const accumulator = new Accumulator();
    const paths: string[] = [];
    for (const [i, entry] of entries.entries()) {
      let inline: ResourceMap;
      try {
        inline = new ResourceMap(
          readResources(entry, { file: this.file.file, entry: `${field}[${i}]` }, this.#context.scopes),
        );
      } catch {
        paths.push(entry);
        continue;
      }
      if (this.#origin) {
        const text = formatOrigin(appendOrigin(this.#origin, this.file.name));
        for (const resource of inline.resources)
          resource.annotations = resource.annotations.set(originAnnotation, text);
      }
      await wrapping(`configuring external ${field === 'generators' ? 'generator' : 'transformer'}`, () =>
        accumulator.resources.appendAll(inline),
      );
    }
    return (await this.#resources(accumulator, paths, field)).resources;
  }
}

/** Reads the file of `openapi.path` and takes the schema over. */
export async function loadSchema(
  loader: Loader,
  file: KustomizationFile,
  context: BuildContext,
  reset: boolean,
): Promise<void> {
  const { openapi } = file.fields;
  const path = openapi?.get('path');
  context.scopes.schemas.set(openapi, path === undefined ? undefined : await loader.load(path), reset);
}

/** Kustomize adds the name of the file to what is wrong with its YAML. */
function inFile(error: unknown, path: string): GoError {
  const message = goMessageOf(error);
  if (/error converting YAML to JSON|error unmarshaling JSON/.test(message))
    return reworded(error, `YAML file [${path}] encounters a format error.\n${message}\n`);
  if (message.includes('MalformedYAMLError')) return reworded(error, `${message} in File: ${path}`);
  return reworded(error, message);
}
