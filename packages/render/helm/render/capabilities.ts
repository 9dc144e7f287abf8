import {
  define,
  elementsOf,
  GoSlice,
  GoStruct,
  type GoType,
  namedType,
  pointerTo,
  sliceOfString,
  stringOf,
  type Value,
} from '@tiphys/template';
import { builtinApiVersions } from './builtin-api-versions.ts';

/** The Helm and client-go whose behaviour this package has; what `.Capabilities` says when nothing else is known. */
export const helmVersion = { version: 'v4.3', kubeClient: 'v1.37', go: 'go1.26.8', kube: 'v1.37.0' } as const;

export interface ClusterFacts {
  /** `v1.34.2`, also `1.34` and `v1.33.4-gke.1245000`; Helm's own default if not given. */
  readonly kubeVersion?: string | undefined;
  /** `group/version` and `group/version/Kind`, added to the built-in ones. */
  readonly apiVersions?: readonly string[] | undefined;
}

/** A version that can't be parsed, in Helm's words. */
export class KubeVersionError extends Error {}

export interface KubeVersion {
  /** With `v`, as given. */
  readonly version: string;
  /** `vX.Y.Z` for comparisons. */
  readonly normalized: string;
  readonly major: string;
  readonly minor: string;
}

/** Reads a version of Kubernetes as `--kube-version` does. */
export function parseKubeVersion(text: string): KubeVersion {
  const match = /^\s*v?([0-9]+(?:\.[0-9]+)*)(.*?)\s*$/s.exec(text);
  const parts = match?.[1]?.split('.') ?? [];
  if (!match || parts.length < 2) throw new KubeVersionError(`could not parse ${JSON.stringify(text)} as version`);
  for (const part of parts) {
    if (part.length > 1 && part.startsWith('0'))
      throw new KubeVersionError(
        `illegal zero-prefixed version component ${JSON.stringify(part)} in ${JSON.stringify(text)}`,
      );
  }
  return {
    version: text.startsWith('v') ? text : `v${text}`,
    normalized: `v${parts.length < 3 ? [...parts, '0'].join('.') : parts.join('.')}`,
    major: parts[0] as string,
    minor: parts[1] as string,
  };
}

const kubeVersionMethods = {
  String: define('', ([receiver]) => kubeVersionText(receiver as GoStruct)),
  GitVersion: define('', ([receiver]) => (receiver as GoStruct).fields.get('Version')),
};
const kubeVersionType = namedType(
  'common.KubeVersion',
  { kind: 'struct', fields: ['Version', 'normalizedVersion', 'Major', 'Minor'] },
  kubeVersionMethods,
);
const versionSetType = namedType('common.VersionSet', sliceOfString, {
  Has: define('string', ([receiver, wanted]) => (elementsOf(receiver) ?? []).includes(stringOf(wanted) ?? '')),
});
const buildInfoFields = ['Version', 'GitCommit', 'GitTreeState', 'GoVersion', 'KubeClientVersion'];
const buildInfoType = namedType('version.BuildInfo', { kind: 'struct', fields: buildInfoFields });
const capabilitiesFields = ['KubeVersion', 'APIVersions', 'HelmVersion'];
const capabilitiesType: GoType = pointerTo(
  namedType(
    'common.Capabilities',
    { kind: 'struct', fields: capabilitiesFields },
    { Copy: define('', ([receiver]) => new GoStruct(capabilitiesType, (receiver as GoStruct).fields)) },
  ),
);

function kubeVersionText(receiver: GoStruct): Value {
  return receiver.fields.get('normalizedVersion') || receiver.fields.get('Version');
}

/** A struct whose pointer has `String()`: so an action prints it; functions get a copy, which has none. */
class KubeVersionValue extends GoStruct {
  override toActionText(): string {
    return String(kubeVersionText(this));
  }
}

/** JSON leaves empty fields out. */
class BuildInfoValue extends GoStruct {
  override jsonFields(): readonly (readonly [string, Value])[] {
    const names = ['version', 'git_commit', 'git_tree_state', 'go_version', 'kube_client_version'];
    const pairs = [...this.fields.values()].map((value, i) => [names[i] as string, value] as const);
    return pairs.filter(([, value]) => value !== '');
  }
}

/** `.Capabilities`. */
export function capabilities(facts: ClusterFacts): { value: GoStruct; kubeVersion: KubeVersion } {
  const kubeVersion = parseKubeVersion(facts.kubeVersion ?? helmVersion.kube);
  const apiVersions = facts.apiVersions?.length ? [...builtinApiVersions, ...facts.apiVersions] : builtinApiVersions;
  const kube = new KubeVersionValue(
    kubeVersionType,
    new Map<string, Value>([
      ['Version', kubeVersion.version],
      ['normalizedVersion', kubeVersion.normalized],
      ['Major', kubeVersion.major],
      ['Minor', kubeVersion.minor],
    ]),
  );
  const build = new BuildInfoValue(
    buildInfoType,
    new Map<string, Value>([
      ['Version', helmVersion.version],
      ['GitCommit', ''],
      ['GitTreeState', ''],
      ['GoVersion', helmVersion.go],
      ['KubeClientVersion', helmVersion.kubeClient],
    ]),
  );
  const value = new GoStruct(
    capabilitiesType,
    new Map<string, Value>([
      ['KubeVersion', kube],
      ['APIVersions', new GoSlice(versionSetType, [...apiVersions])],
      ['HelmVersion', build],
    ]),
  );
  return { value, kubeVersion };
}
