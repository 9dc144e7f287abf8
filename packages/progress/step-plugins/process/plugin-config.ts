import { invalidPlugin } from '../model/diagnoses.ts';

export type PluginKind = 'step' | 'metric' | 'traffic';

const protocols = ['go-plugin', 'http', 'module'] as const;
type PluginProtocol = (typeof protocols)[number];

/** A plugin as `argo-rollouts-config` lists it. */
export interface ConfiguredPlugin {
  readonly kind: PluginKind;
  /** `namespace/name`. */
  readonly name: string;
  /** `file://`, `http://` or `https://`. */
  readonly location: string;
  /** How it is spoken to: a program by HashiCorp's go-plugin, a service by HTTP, or functions of an ES module. */
  readonly protocol: PluginProtocol;
  /** Lower-case hexadecimal; empty if the file is not checked. */
  readonly sha256: string;
  readonly disabled: boolean;
  readonly args: readonly string[];
  /** Secrets of the control plane whose keys are headers of the download. */
  readonly headerSecrets: readonly string[];
}

const keys: readonly (readonly [string, PluginKind])[] = [
  ['trafficRouterPlugins', 'traffic'],
  ['metricProviderPlugins', 'metric'],
  ['stepPlugins', 'step'],
];
const namePattern = /^[a-zA-Z0-9-]+\/[a-zA-Z0-9_.-]+$/;

/** The plugins of the data of `argo-rollouts-config`; `parseYaml` reads one key. Throws for what is no list of plugins. */
export function parsePlugins(
  data: ReadonlyMap<string, string>,
  parseYaml: (text: string) => unknown,
): ConfiguredPlugin[] {
  return keys.flatMap(([key, kind]) => {
    const list = parseYaml(data.get(key) ?? '') ?? [];
    if (!Array.isArray(list)) throw invalidPlugin(`key ${key} of argo-rollouts-config is not a list of plugins`);
    return list.map((item, index) => configuredPlugin(kind, item as Record<string, unknown>, `${key}[${index}]`));
  });
}

function configuredPlugin(kind: PluginKind, item: Record<string, unknown>, place: string): ConfiguredPlugin {
  const { name, location, sha256 = '', disabled = false, args = [], headersFrom = [] } = item ?? {};
  const protocol = protocols.find((known) => known === (item?.protocol ?? 'go-plugin'));
  if (typeof name !== 'string' || !namePattern.test(name))
    throw invalidPlugin(
      `${place} of argo-rollouts-config: plugin repository (${String(name)}) must be in the format of <namespace>/<name>`,
    );
  if (typeof location !== 'string' || !/^(?:file|https?):\/\//.test(location))
    throw invalidPlugin(`${place} of argo-rollouts-config: plugin location must be of http(s) or file scheme`);
  if (!protocol)
    throw invalidPlugin(`${place} of argo-rollouts-config: protocol must be one of ${protocols.join(', ')}`);
  if (protocol === 'http' && location.startsWith('file:'))
    throw invalidPlugin(`${place} of argo-rollouts-config: a plugin of protocol http has a URL as its location`);
  return {
    kind,
    name,
    location,
    protocol,
    sha256: String(sha256),
    disabled: disabled === true,
    args: (args as unknown[]).map(String),
    headerSecrets: (headersFrom as { secretRef?: { name?: string } }[]).map(({ secretRef }) => secretRef?.name ?? ''),
  };
}
