import { type Diagnosis, diagnose, type Place } from '@tiphys/diagnosis';
import { mergeFieldSpecs, type TransformerConfig } from '../config/transformer-config.ts';
import type { BuildContext } from '../context/build-context.ts';
import { entryIdle, patchPathUnrooted } from '../failure/diagnoses.ts';
import { goMessageOf, reworded } from '../failure/go-error.ts';
import type { FieldSpec, Label } from '../kustomization/kustomization.ts';
import type { KustomizationFile } from '../kustomization/read-kustomization.ts';
import type { Loader } from '../load/loader.ts';
import { jsonPatchTransformer, patchTransformer, strategicMergeTransformer } from '../patch/patch-transformers.ts';
import { replacementTransformer } from '../replacement/replacement-transformer.ts';
import type { Stamp } from '../resource/resource.ts';
import type { ResourceMap } from '../resource/resource-map.ts';
import { imageTransformer } from '../transform/images.ts';
import { mapEntries } from '../transform/labels-and-annotations.ts';
import { nameAffix } from '../transform/name-affix.ts';
import { namespaceTransformer } from '../transform/namespace.ts';
import { replicaTransformer } from '../transform/replicas.ts';
import type { Choice, Transformer } from '../transform/transformer.ts';

/** The transformers of a kustomization in Kustomize's fixed order. Patches are read here; failures name their entry. */
export async function builtinTransformers(
  loader: Loader,
  file: KustomizationFile,
  config: TransformerConfig,
  context: BuildContext,
): Promise<Transformer[]> {
  return new Builder(loader, file, config, context).build();
}

class Builder {
  readonly #loader: Loader;
  readonly #file: KustomizationFile;
  readonly #config: TransformerConfig;
  readonly #context: BuildContext;
  readonly #result: Transformer[] = [];

  constructor(loader: Loader, file: KustomizationFile, config: TransformerConfig, context: BuildContext) {
    this.#loader = loader;
    this.#file = file;
    this.#config = config;
    this.#context = context;
  }

  async build(): Promise<Transformer[]> {
    const { fields } = this.#file;
    const config = this.#config;
    const patchContext = (stamp: Stamp) => ({ loader: this.#loader, scopes: this.#context.scopes, stamp });
    if (fields.patchesStrategicMerge?.length) {
      const paths = fields.patchesStrategicMerge;
      await this.#add('patchesStrategicMerge', [], (stamp) => strategicMergeTransformer(paths, patchContext(stamp)));
    }
    await this.#each('patches', fields.patches, (patch, stamp) => patchTransformer(patch, patchContext(stamp)));
    const { namespace, namePrefix, nameSuffix } = fields;
    if (namespace)
      await this.#add('namespace', [], (stamp) =>
        namespaceTransformer({ namespace, fieldSpecs: config.namespace, stamp }),
      );
    if (namePrefix)
      await this.#add('namePrefix', [], (stamp) =>
        nameAffix({ which: 'prefix', text: namePrefix, fieldSpecs: config.namePrefix, stamp }),
      );
    if (nameSuffix)
      await this.#add('nameSuffix', [], (stamp) =>
        nameAffix({ which: 'suffix', text: nameSuffix, fieldSpecs: config.nameSuffix, stamp }),
      );
    await this.#labels();
    const { commonAnnotations } = fields;
    if (commonAnnotations?.size)
      await this.#add('commonAnnotations', [], (stamp) =>
        mapEntries({
          name: 'AnnotationsTransformer',
          entries: commonAnnotations,
          fieldSpecs: config.commonAnnotations,
          stamp,
        }),
      );
    await this.#each('patchesJson6902', fields.patchesJson6902, (patch, stamp) =>
      jsonPatchTransformer(patch, patchContext(stamp)),
    );
    await this.#each('replicas', fields.replicas, (replica, stamp) =>
      replicaTransformer(replica, config.replicas, stamp),
    );
    await this.#each('images', fields.images, (image, stamp) => imageTransformer(image, config.images, stamp));
    if (fields.replacements?.length) {
      const { replacements } = fields;
      await this.#add('replacements', [], () => replacementTransformer(this.#loader, this.#file, replacements));
    }
    return this.#result;
  }

  async #labels(): Promise<void> {
    const { labels = [], commonLabels = new Map() } = this.#file.fields;
    if (labels.length === 0 && commonLabels.size === 0) return;
    await this.#each('labels', labels, (label, stamp) =>
      mapEntries({
        name: 'LabelTransformer',
        entries: label.pairs ?? new Map(),
        fieldSpecs: labelSpecs(label, this.#config),
        stamp,
      }),
    );
    await this.#add('commonLabels', [], (stamp) =>
      mapEntries({ name: 'LabelTransformer', entries: commonLabels, fieldSpecs: this.#config.commonLabels, stamp }),
    );
  }

  async #each<T>(
    entry: string,
    list: readonly T[] | undefined,
    make: (item: T, stamp: Stamp) => Transformer | Promise<Transformer>,
  ): Promise<void> {
    for (const [i, item] of (list ?? []).entries()) await this.#add(entry, [i], (stamp) => make(item, stamp));
  }

  async #add(
    entry: string,
    index: readonly number[],
    make: (stamp: Stamp) => Transformer | Promise<Transformer>,
  ): Promise<void> {
    const line = this.#file.lineOf([entry, ...index]);
    const given = this.#file.givenBy?.(entry, index);
    const title = given ?? `${entry}${index.map((i) => `[${i}]`).join('')}`;
    const place = given ? { field: given } : { file: this.#file.file, line, field: title };
    const guard = async <T>(body: () => T | Promise<T>): Promise<T> => {
      try {
        return await body();
      } catch (error) {
        throw reworded(error, goMessageOf(error), {
          place,
          evidence: { entry: given ?? `${this.#file.file}:${line} ${title}` },
        });
      }
    };
    const transformer = await guard(() => make({ origin: { file: this.#file.file, entry: title }, line }));
    const { name, choice, unrooted = [] } = transformer;
    this.#result.push({
      name,
      transform: async (resources) => {
        await guard(() => transformer.transform(resources));
        if (choice && !choice.fits()) this.#context.notice(idle(choice, resources, place));
        for (const path of unrooted) this.#context.notice(unrootedPath(path, place));
      },
    });
  }
}

const shownThere = 10;

function idle(choice: Choice, resources: ResourceMap, place: Place & { field: string }): Diagnosis {
  const all = [...new Set(choice.there(resources))];
  const shown = all.slice(0, shownThere).join(', ');
  return diagnose(entryIdle, {
    message: `${place.field} fits nothing and changes nothing: ${choice.wanted}`,
    place,
    evidence: {
      'there is': `${shown || 'none'}${all.length > shownThere ? `, and ${all.length - shownThere} more` : ''}`,
    },
    remedies: [`Correct what ${place.field} names, or remove it: Kustomize passes over it without a word`],
  });
}

function unrootedPath(path: string, place: Place & { field: string }): Diagnosis {
  const taken = path.slice(path.indexOf('/'));
  return diagnose(patchPathUnrooted, {
    message: `The path ${JSON.stringify(path)} of ${place.field} does not begin with /: Kustomize takes it for ${JSON.stringify(taken)}`,
    place,
    remedies: [`Write "/${path}"`],
  });
}

function labelSpecs(label: Label, config: TransformerConfig): readonly FieldSpec[] {
  const metadata: FieldSpec[] = [{ path: 'metadata/labels', create: true }];
  try {
    let specs = mergeFieldSpecs(label.fields ?? [], config.labels);
    if (label.includeSelectors) return mergeFieldSpecs(specs, config.commonLabels);
    if (label.includeTemplates) {
      try {
        specs = mergeFieldSpecs(specs, config.templateLabels);
      } catch (error) {
        throw reworded(error, `failed to merge template fieldSpec: ${goMessageOf(error)}`);
      }
    }
    return mergeFieldSpecs(specs, metadata);
  } catch (error) {
    const message = goMessageOf(error);
    throw reworded(error, message.startsWith('failed to merge') ? message : `failed to merge labels: ${message}`);
  }
}
