import { workflowNames } from '@tiphys/api';
import { type Printable, parseDocuments, printYaml } from '@tiphys/yaml';
import { pluginOfSpec } from '../model/executor-plugin.ts';
import { VerbError } from './submit.ts';

/** What is made of a folder with an executor plugin, by name of the file in it. */
export interface BuiltPlugin {
  /** `NAME-executor-plugin-configmap.yaml`, which is applied to a cluster. */
  readonly configMap: { readonly file: string; readonly text: string };
  readonly readme: { readonly file: string; readonly text: string };
}

/** A file of the folder: its path as it is told in errors, and its text. */
export interface PluginFile {
  readonly file: string;
  readonly text: string;
}

const generated = '<!-- Made by executor-plugin build: changes are lost -->';

/** Whether a README may be written over: it was made by this, or by upstream's command. */
export function isGenerated(readme: string): boolean {
  return readme.startsWith(generated) || readme.startsWith('<!-- This is an auto-generated file');
}

interface Manifest {
  readonly kind?: string;
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: { readonly sidecar?: { readonly container?: { readonly image?: string } } };
}

/**
 * The ConfigMap of an executor plugin, as the controllers read it (features of upstream's `argo executor-plugin build`): from its `plugin.yaml`, and from
 * the program that its container is to get as argument, if there is a file `server.*`. Throws a `VerbError` with the place in the manifest.
 */
export function builtPlugin(manifest: PluginFile, server: PluginFile | undefined): BuiltPlugin {
  const [document] = parseDocuments(manifest.text, { file: manifest.file }).documents;
  const { kind, metadata = {}, spec } = (document?.value ?? {}) as Manifest;
  const refuse = (wrong: string): never => {
    throw new VerbError(`${manifest.file}: ${wrong}`);
  };
  if (kind !== 'ExecutorPlugin') refuse(`kind ${JSON.stringify(kind ?? '')} is not ExecutorPlugin`);
  const found = pluginOfSpec({ metadata, spec });
  if (typeof found === 'string') return refuse(found);
  const container = { ...found.container, ...(server ? { args: [server.text] } : {}) };
  const { name } = found;
  const { namespace, labels, annotations = {} } = metadata;
  const configMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: `${name}-executor-plugin`,
      ...(namespace ? { namespace } : {}),
      labels: { ...labels, [workflowNames.labels.configMapType]: 'ExecutorPlugin' },
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
    },
    data: {
      'sidecar.automountServiceAccountToken': String(found.mountsToken),
      'sidecar.container': printYaml(container as unknown as Printable),
    },
  };
  const file = `${name}-executor-plugin-configmap.yaml`;
  return {
    configMap: {
      file,
      text: `# Made of ${[manifest, server].flatMap((each) => each?.file.split('/').at(-1) ?? []).join(' and ')}: changes are lost\n${printYaml(configMap)}`,
    },
    readme: {
      file: 'README.md',
      text: readmeOf(name, file, { annotations, image: spec?.sidecar?.container?.image ?? '' }),
    },
  };
}

function readmeOf(
  name: string,
  file: string,
  { annotations, image }: { annotations: Readonly<Record<string, string>>; image: string },
): string {
  const description = annotations['workflows.argoproj.io/description'];
  const version = annotations['workflows.argoproj.io/version'];
  return [
    `${generated}\n\n# ${name}\n`,
    ...(description ? [`${description.trim()}\n`] : []),
    ...(version ? [`- Argo Workflows: ${version}`] : []),
    `- Image: ${image}\n`,
    `To install it:\n\n    kubectl apply -f ${file}\n`,
    `To remove it:\n\n    kubectl delete configmap ${name}-executor-plugin\n`,
  ].join('\n');
}
