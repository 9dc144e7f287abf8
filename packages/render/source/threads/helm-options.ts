import type { ApplicationSourceHelm } from '@tiphys/api';
import type { Diagnosis } from '@tiphys/diagnosis';
import type { GitTree } from '@tiphys/git';
import type { RenderRequest } from '../request/rendered.ts';
import { readNamedFile, readValueFiles, type ValueFile, type ValueFilesOptions } from './helm-value-files.ts';

/** What `helm template` would be called with. */
export interface HelmInvocation {
  readonly releaseName: string;
  readonly namespace: string;
  /** In order; later ones win. */
  readonly values: readonly ValueFile[];
  /** `name=value`, escaped as on helm's command line. */
  readonly set: readonly string[];
  readonly setString: readonly string[];
  /** Name and content of the file. */
  readonly setFile: readonly { readonly name: string; readonly path: string; readonly content: string }[];
  /** Without the `v`; absent: helm's own default. */
  readonly kubeVersion?: string;
  readonly apiVersions: readonly string[];
  readonly includeCrds: boolean;
  readonly skipTests: boolean;
  readonly skipSchemaValidation: boolean;
}

/**
 * The invocation that Argo CD makes of a source's Helm options: parameters over valuesObject over values over valueFiles;
 * of two parameters with one name the last counts; build environment variables are replaced in parameters and file names.
 */
export async function helmInvocation(
  request: RenderRequest,
  tree: GitTree,
  options: ValueFilesOptions,
): Promise<HelmInvocation> {
  const helm = request.source.helm ?? {};
  const { substitute } = options;
  const values = await readValueFiles(tree, helm.valueFiles ?? [], {
    ...options,
    ignoreMissing: helm.ignoreMissingValueFiles ?? false,
  });
  const inline = inlineValues(helm);
  const parameters = (forceString: boolean) => {
    const chosen = new Map(
      (helm.parameters ?? [])
        .filter((parameter) => (parameter.forceString ?? false) === forceString)
        .map(({ name = '', value = '' }) => [name, value]),
    );
    return [...chosen].map(([name, value]) => `${name}=${escapeCommas(substitute(value))}`);
  };
  const files = new Map((helm.fileParameters ?? []).map(({ name = '', path = '' }, index) => [name, { path, index }]));
  const setFile = await Promise.all(
    [...files].map(async ([name, { path, index }]) => {
      const file = await readNamedFile(tree, path, `spec.source.helm.fileParameters[${index}].path`, options);
      return { name, path: file.path, content: file.text };
    }),
  );
  // Distributions append to the version what helm would take for a prerelease.
  const kubeVersion = /\d+(?:\.\d+)+/.exec(helm.kubeVersion || request.cluster?.kubeVersion || '')?.[0];
  return {
    releaseName: helm.releaseName || releaseNameOf(request.application.name),
    namespace: helm.namespace || request.destinationNamespace,
    values: inline === undefined ? values : [...values, inline],
    set: parameters(false),
    setString: parameters(true),
    setFile,
    ...(kubeVersion ? { kubeVersion } : {}),
    apiVersions: helm.apiVersions?.length ? helm.apiVersions : (request.cluster?.apiVersions ?? []),
    includeCrds: !helm.skipCrds,
    skipTests: helm.skipTests ?? false,
    skipSchemaValidation: helm.skipSchemaValidation ?? false,
  };
}

/** What Helm says of a parameter of a source, with the parameter's place in the Application. */
export function placedInParameters(diagnosis: Diagnosis, { parameters = [] }: ApplicationSourceHelm): Diagnosis {
  const option = diagnosis.evidence.find(({ name }) => name === 'option')?.value;
  const [, text] = /^--set(?:-string)? (.*)/s.exec(option ?? '') ?? [];
  if (text === undefined || diagnosis.place?.field) return diagnosis;
  const index = parameters.findLastIndex(({ name = '' }) => text.startsWith(`${name}=`));
  if (index < 0) return diagnosis;
  return { ...diagnosis, place: { ...diagnosis.place, field: `spec.source.helm.parameters[${index}]` } };
}

/** Outside of the control plane's namespace an instance is called `namespace_name`: the release is called `name`. */
function releaseNameOf(instance: string): string {
  return instance.slice(instance.indexOf('_') + 1);
}

function inlineValues(helm: ApplicationSourceHelm): ValueFile | undefined {
  if (helm.valuesObject && Object.keys(helm.valuesObject).length > 0)
    return { path: 'spec.source.helm.valuesObject', text: JSON.stringify(helm.valuesObject, null, 1) };
  return helm.values ? { path: 'spec.source.helm.values', text: helm.values } : undefined;
}

/** A comma starts the next parameter unless it is escaped or the value is a list in braces. */
function escapeCommas(value: string): string {
  return value.startsWith('{') && value.endsWith('}') ? value : value.replace(/(?<!\\),/g, '\\,');
}
