import { parseDocuments } from '@tiphys/yaml';

interface Version {
  readonly version: string;
  readonly natsImage?: string;
  readonly natsStreamingImage?: string;
  readonly metricsExporterImage?: string;
  readonly configReloaderImage?: string;
  readonly startCommand?: string;
}

/** What `controller-config.yaml` says of the servers of buses. */
export interface BusVersions {
  readonly nats?: { readonly versions?: readonly Version[] };
  readonly jetstream?: {
    readonly settings?: string;
    readonly streamConfig?: string;
    readonly versions?: readonly Version[];
  };
}

/** Reads the configuration of the controller; an empty one lists no versions. */
export function busVersions(text: string): BusVersions {
  if (text.trim() === '') return {};
  const [document] = parseDocuments(text, { file: 'controller-config.yaml' }).documents;
  return ((document?.value ?? {}) as unknown as { eventBus?: BusVersions }).eventBus ?? {};
}

/** The entry of a version; a text tells that there is none. */
export function versionOf(versions: readonly Version[] | undefined, wanted: string): Version | string {
  const found = versions?.find(({ version }) => version === wanted);
  if (found) return found;
  const known = (versions ?? []).map(({ version }) => version).join(', ');
  return `version ${wanted} is not in controller-config.yaml of ConfigMap argo-events-controller-config; there are ${known || 'none'}`;
}
