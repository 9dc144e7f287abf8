import { type GoType, goBool, goString, mapOf, sliceOf, struct } from '../decode/go-json.ts';
import { GoError, wrapped } from '../failure/go-error.ts';
import { addHashes } from '../generate/name-hash.ts';
import type { FieldSpec, Image, Patch, ReplacementEntry, Replica } from '../kustomization/kustomization.ts';
import {
  fieldSpecType,
  imageType,
  patchOptionsType,
  replacementEntryType,
  replicaType,
  selectorType,
} from '../kustomization/kustomization-types.ts';
import { jsonPatchTransformer, patchTransformer, strategicMergeTransformer } from '../patch/patch-transformers.ts';
import { replacementTransformer } from '../replacement/replacement-transformer.ts';
import { imageTransformer } from '../transform/images.ts';
import { mapEntries } from '../transform/labels-and-annotations.ts';
import { nameAffix } from '../transform/name-affix.ts';
import { namespaceTransformer, type SubjectMode } from '../transform/namespace.ts';
import { replicaTransformer } from '../transform/replicas.ts';
import type { Transformer } from '../transform/transformer.ts';
import { type PluginConfig, readPluginConfig } from './plugin-config.ts';
import { valueAddTransformer } from './value-add.ts';

type Make = (config: PluginConfig) => Transformer | Promise<Transformer>;

const fieldSpecs: GoType = sliceOf(fieldSpecType);
const stringMap = mapOf(goString);

interface WithSpecs {
  fieldSpecs?: FieldSpec[];
}

function affix(which: 'prefix' | 'suffix'): Make {
  const type = struct(which === 'prefix' ? 'PrefixTransformerPlugin' : 'SuffixTransformerPlugin', {
    [which]: goString,
    fieldSpecs,
  });
  return (config) => {
    const read = readPluginConfig<WithSpecs & { prefix?: string; suffix?: string }>(config, type);
    if (read.fieldSpecs === undefined)
      throw new GoError('fieldSpecs is not expected to be nil', {
        remedies: ['Add fieldSpecs with the paths of names'],
      });
    return nameAffix({ which, text: read[which] ?? '', fieldSpecs: read.fieldSpecs, stamp: config.stamp });
  };
}

function entries(name: 'LabelTransformer' | 'AnnotationsTransformer'): Make {
  const field = name === 'LabelTransformer' ? 'labels' : 'annotations';
  const type = struct(`${name}Plugin`, { [field]: stringMap, fieldSpecs });
  return (config) => {
    const read = readPluginConfig<WithSpecs & { [name in typeof field]?: Map<string, string> }>(config, type);
    return mapEntries({
      name,
      entries: read[field] ?? new Map(),
      fieldSpecs: read.fieldSpecs ?? [],
      stamp: config.stamp,
    });
  };
}

const namespaceType = struct('NamespaceTransformerPlugin', {
  metadata: struct('ObjectMeta', { name: goString, namespace: goString, labels: stringMap, annotations: stringMap }),
  fieldSpecs,
  unsetOnly: goBool,
  setRoleBindingSubjects: goString,
});

const subjectModes = ['defaultOnly', 'none', 'allServiceAccounts'] as const;

function namespace(config: PluginConfig): Transformer {
  let read: WithSpecs & { metadata?: { namespace?: string }; unsetOnly?: boolean; setRoleBindingSubjects?: string };
  try {
    read = readPluginConfig(config, namespaceType);
  } catch (error) {
    throw wrapped(error, 'unmarshalling NamespaceTransformer config');
  }
  const mode = read.setRoleBindingSubjects || 'defaultOnly';
  if (!subjectModes.includes(mode as SubjectMode))
    throw new GoError(
      `invalid value ${JSON.stringify(mode)} for setRoleBindingSubjects: must be one of "defaultOnly", "none" or "allServiceAccounts"`,
    );
  return namespaceTransformer({
    namespace: read.metadata?.namespace ?? '',
    fieldSpecs: read.fieldSpecs ?? [],
    subjects: mode as SubjectMode,
    unsetOnly: read.unsetOnly ?? false,
    stamp: config.stamp,
  });
}

const imageTagType = struct('ImageTagTransformerPlugin', { imageTag: imageType, fieldSpecs });
const replicaCountType = struct('ReplicaCountTransformerPlugin', { replica: replicaType, fieldSpecs });
const patchType = struct('PatchTransformerPlugin', {
  path: goString,
  patch: goString,
  target: selectorType,
  options: patchOptionsType,
});
const jsonPatchType = struct('PatchJson6902TransformerPlugin', {
  path: goString,
  jsonOp: goString,
  target: selectorType,
});
const strategicMergeType = struct('PatchStrategicMergeTransformerPlugin', {
  paths: sliceOf(goString),
  patches: goString,
});
const replacementsType = struct('ReplacementTransformerPlugin', { replacements: sliceOf(replacementEntryType) });

const patchContext = ({ resource, loader, context, stamp }: PluginConfig) => ({
  loader,
  scopes: context.scopes,
  stamp,
  config: resource.asYaml(),
});

/** Makers of the transformers that Kustomize has built in, by kind. */
export const builtinTransformerPlugins: Readonly<Record<string, Make>> = {
  PrefixTransformer: affix('prefix'),
  SuffixTransformer: affix('suffix'),
  PrefixSuffixTransformer: async (config) => {
    const both = [await affix('prefix')(config), await affix('suffix')(config)];
    return {
      name: 'PrefixSuffixTransformer',
      async transform(resources) {
        for (const one of both) await one.transform(resources);
      },
    };
  },
  LabelTransformer: entries('LabelTransformer'),
  AnnotationsTransformer: entries('AnnotationsTransformer'),
  NamespaceTransformer: namespace,
  ImageTagTransformer: (config) => {
    const read = readPluginConfig<WithSpecs & { imageTag?: Image }>(config, imageTagType);
    return imageTransformer(read.imageTag ?? {}, read.fieldSpecs ?? [], config.stamp);
  },
  ReplicaCountTransformer: (config) => {
    const read = readPluginConfig<WithSpecs & { replica?: Replica }>(config, replicaCountType);
    return replicaTransformer(read.replica ?? {}, read.fieldSpecs ?? [], config.stamp);
  },
  PatchTransformer: (config) => patchTransformer(readPluginConfig<Patch>(config, patchType), patchContext(config)),
  PatchJson6902Transformer: (config) => {
    const { jsonOp, ...read } = readPluginConfig<Patch & { jsonOp?: string }>(config, jsonPatchType);
    return jsonPatchTransformer({ ...read, ...(jsonOp ? { patch: jsonOp } : {}) }, patchContext(config));
  },
  PatchStrategicMergeTransformer: (config) => {
    const { paths = [], patches } = readPluginConfig<{ paths?: string[]; patches?: string }>(
      config,
      strategicMergeType,
    );
    if (paths.length === 0 && !patches) throw new GoError('empty file path and empty patch content');
    return strategicMergeTransformer(paths, patchContext(config), patches);
  },
  ReplacementTransformer: (config) => {
    const { replacements = [] } = readPluginConfig<{ replacements?: ReplacementEntry[] }>(config, replacementsType);
    return replacementTransformer(config.loader, config.kustomization, replacements);
  },
  HashTransformer: () => ({ name: 'HashTransformer', transform: addHashes }),
  ValueAddTransformer: valueAddTransformer,
};
