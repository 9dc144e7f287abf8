import type { BuildContext } from '../context/build-context.ts';
import { type GoType, goString, struct } from '../decode/go-json.ts';
import { GoError, goMessageOf, reworded, wrapped } from '../failure/go-error.ts';
import { makeConfigObject } from '../generate/config-object.ts';
import type { Generator } from '../generate/generator.ts';
import { helmChartGenerator } from '../helm/helm-chart-generators.ts';
import type { GeneratorArgs, HelmChart, HelmGlobals } from '../kustomization/kustomization.ts';
import { configMapArgsType, helmChartWithGlobalsType, secretArgsType } from '../kustomization/kustomization-types.ts';
import type { KustomizationFile } from '../kustomization/read-kustomization.ts';
import type { Loader } from '../load/loader.ts';
import { formatConfiguredBy } from '../resource/origin.ts';
import { readResources } from '../resource/read-resources.ts';
import type { Resource } from '../resource/resource.ts';
import { formatId } from '../resource/resource-id.ts';
import { ResourceMap } from '../resource/resource-map.ts';
import type { Transformer } from '../transform/transformer.ts';
import { builtinTransformerPlugins } from './builtin-transformer-plugins.ts';
import { execPlugin, execPluginPath } from './exec-plugin.ts';
import { type ExternalPlugin, generateWith, transformWith } from './external-plugin.ts';
import { functionPlugin } from './function-plugin.ts';
import { functionSpecOf } from './function-spec.ts';
import { type PluginConfig, readPluginConfig } from './plugin-config.ts';

interface PluginContext {
  readonly loader: Loader;
  readonly kustomization: KustomizationFile;
  readonly context: BuildContext;
}

/** Generators from plugin configurations: built-in kinds, and functions and programs where they may run. */
export async function externalGenerators(configs: ResourceMap, context: PluginContext): Promise<Generator[]> {
  const generators: Generator[] = [];
  for (const resource of configs.resources) {
    try {
      generators.push(await generatorOf(resource, context));
    } catch (error) {
      throw wrapped(error, 'failed to load generator');
    }
  }
  return generators;
}

/** Transformers (and validators) from plugin configurations. */
export async function externalTransformers(configs: ResourceMap, context: PluginContext): Promise<Transformer[]> {
  const transformers: Transformer[] = [];
  for (const resource of configs.resources) transformers.push(await transformerOf(resource, context));
  return transformers;
}

const generatorKinds = ['ConfigMapGenerator', 'SecretGenerator', 'IAMPolicyGenerator', 'HelmChartInflationGenerator'];

/** The function or program of a configuration; undefined for a built-in plugin. Throws if none may be run. */
async function externalOf(resource: Resource, context: PluginContext): Promise<ExternalPlugin | undefined> {
  const { group, version } = resource.gvk;
  const { programs } = context.context.plugins;
  if ((group === '' && version === 'builtin') || !programs) return undefined;
  const config = pluginConfig(resource, context);
  const spec = functionSpecOf(resource);
  if (spec) return functionPlugin(spec, config, programs);
  const path = execPluginPath(resource, programs);
  return configuring(resource, () => execPlugin(path, config, programs));
}

async function generatorOf(resource: Resource, context: PluginContext): Promise<Generator> {
  const plugin = await externalOf(resource, context);
  if (plugin) {
    const originText = originOf(resource);
    return {
      name: resource.kind,
      ...(originText === undefined ? {} : { originText }),
      generate: () => placed(resource, () => generateWith(plugin)),
    };
  }
  const kind = builtinKind(resource);
  const id = formatId(resource.originalId);
  if (!generatorKinds.includes(kind)) {
    const make = builtinTransformerPlugins[kind];
    if (!make) throw unknownKind(resource);
    await configuring(resource, () => make(pluginConfig(resource, context)));
    throw new GoError(`plugin ${id} not a generator`, near(resource));
  }
  const config = pluginConfig(resource, context);
  const origin = originOf(resource);
  return configuring(resource, async () => ({
    name: kind,
    ...(origin === undefined ? {} : { originText: origin }),
    generate: await makeGenerator(kind, config),
  }));
}

async function transformerOf(resource: Resource, context: PluginContext): Promise<Transformer> {
  const plugin = await externalOf(resource, context);
  if (plugin) {
    const originText = originOf(resource);
    return {
      name: resource.kind,
      ...(originText === undefined ? {} : { originText }),
      transform: (resources) => placed(resource, () => transformWith(plugin, resources)),
    };
  }
  const kind = builtinKind(resource);
  const make = builtinTransformerPlugins[kind];
  if (!make) {
    if (generatorKinds.includes(kind))
      throw new GoError(`plugin ${formatId(resource.originalId)} not a transformer`, near(resource));
    throw unknownKind(resource);
  }
  const origin = originOf(resource);
  const transformer = await configuring(resource, () => make(pluginConfig(resource, context)));
  const transform = (resources: ResourceMap): Promise<void> =>
    placed(resource, async () => transformer.transform(resources));
  return { name: transformer.name, ...(origin === undefined ? {} : { originText: origin }), transform };
}

/** Names the plugin's configuration in what fails. */
async function placed<T>(resource: Resource, body: () => Promise<T>): Promise<T> {
  try {
    return await body();
  } catch (error) {
    throw reworded(error, goMessageOf(error), near(resource));
  }
}

/** The kind of a built-in plugin. Throws for functions and programs. */
function builtinKind(resource: Resource): string {
  const { group, version, kind } = resource.gvk;
  if (group === '' && version === 'builtin') return kind;
  throw new GoError(`external plugins disabled; unable to load external plugin '${resource.originalId.kind}'`, {
    ...near(resource),
    remedies: [
      'Build with --enable-alpha-plugins (and --enable-exec for functions that are programs), or use a built-in plugin (apiVersion: builtin)',
    ],
  });
}

function unknownKind(resource: Resource): GoError {
  const { group, version, kind } = resource.gvk;
  return new GoError(`unable to load builtin ${kind}.${version}.${group || '[noGrp]'}`, {
    ...near(resource),
    evidence: { 'built-in kinds': [...generatorKinds, ...Object.keys(builtinTransformerPlugins)].sort().join(', ') },
    remedies: ['Correct the kind'],
  });
}

function near(resource: Resource): { place?: { file: string; line: number } } {
  const { origin, line } = resource.node;
  return origin ? { place: { file: origin.file, line } } : {};
}

async function configuring<T>(resource: Resource, body: () => T | Promise<T>): Promise<T> {
  try {
    return await body();
  } catch (error) {
    const message = error instanceof GoError ? (error.bare ?? error.message) : goMessageOf(error);
    // The message of a patch ends with its whole configuration.
    const bare = message.replace(
      /^((?:must specify one of patch and path in|patch and path can't be set at the same time)\n).*$/s,
      (_, text: string) => text + resource.asYaml(),
    );
    throw reworded(error, `plugin ${formatId(resource.originalId)} fails configuration: ${bare}`, near(resource));
  }
}

function pluginConfig(resource: Resource, { loader, kustomization, context }: PluginContext): PluginConfig {
  const { origin, line } = resource.node;
  const stamp = {
    origin: {
      file: origin?.file ?? kustomization.file,
      entry: `${resource.kind} ${resource.name}`,
      kustomization: kustomization.file,
    },
    line,
  };
  return { resource, loader, kustomization, context, stamp };
}

function originOf(resource: Resource): string | undefined {
  return resource.originText === undefined ? undefined : formatConfiguredBy(resource.originText, resource);
}

const metadata = struct('ObjectMeta', { name: goString, namespace: goString });

function withMetadata(type: GoType): GoType {
  if (type.kind !== 'struct') return type;
  return struct(`${type.name.replace('Args', '')}GeneratorPlugin`, { ...type.fields, metadata });
}

async function makeGenerator(kind: string, config: PluginConfig): Promise<() => Promise<ResourceMap>> {
  const { loader, context, stamp } = config;
  const objectContext = { loader, scopes: context.scopes, stamp };
  switch (kind) {
    case 'ConfigMapGenerator':
    case 'SecretGenerator': {
      const type = withMetadata(kind === 'ConfigMapGenerator' ? configMapArgsType : secretArgsType);
      const { metadata: meta, ...args } = readPluginConfig<
        GeneratorArgs & { metadata?: { name?: string; namespace?: string } }
      >(config, type);
      const name = args.name || meta?.name;
      const namespace = args.namespace || meta?.namespace;
      const named = { ...args, ...(name ? { name } : {}), ...(namespace ? { namespace } : {}) };
      const what = kind === 'SecretGenerator' ? 'Secret' : 'ConfigMap';
      return async () => new ResourceMap([await makeConfigObject(what, named, objectContext)]);
    }
    case 'IAMPolicyGenerator':
      return policyGenerator(config);
    default: {
      const chart = readPluginConfig<HelmChart & HelmGlobals>(config, helmChartWithGlobalsType);
      const generator = await helmChartGenerator(chart, chart, { loader, context, stamp });
      return () => generator.generate();
    }
  }
}

const policyType = struct('IAMPolicyGeneratorPlugin', {
  cloud: goString,
  kubernetesService: struct('KubernetesService', { name: goString, namespace: goString }),
  serviceAccount: struct('ServiceAccount', { name: goString, projectId: goString }),
});

interface Policy {
  cloud?: string;
  kubernetesService?: { name?: string; namespace?: string };
  serviceAccount?: { name?: string; projectId?: string };
}

/** A ServiceAccount that is bound to an account of Google's cloud. */
function policyGenerator(config: PluginConfig): () => Promise<ResourceMap> {
  const { cloud = '', kubernetesService = {}, serviceAccount = {} } = readPluginConfig<Policy>(config, policyType);
  return async () => {
    if (cloud !== 'gke') throw new GoError(`cloud provider ${cloud} not supported yet`);
    const { name = '', namespace } = kubernetesService;
    const account = `${serviceAccount.name ?? ''}@${serviceAccount.projectId ?? ''}.iam.gserviceaccount.com`;
    const lines = [
      'apiVersion: v1',
      'kind: ServiceAccount',
      'metadata:',
      `  annotations: {iam.gke.io/gcp-service-account: ${account}}`,
      `  name: ${name}`,
      ...(namespace ? [`  namespace: ${namespace}`] : []),
    ];
    const [made] = readResources(lines.join('\n'), config.stamp.origin, config.context.scopes);
    made?.node.stamped(config.stamp.origin, config.stamp.line);
    return ResourceMap.of(made ? [made] : []);
  };
}
