import { dataOf, type ObjectView } from '@tiphys/controller';
import type { KubeObject } from '@tiphys/kubernetes';
import { readSettings } from '../settings/read-settings.ts';
import { Engine } from './engine.ts';
import type { NotifiedKind } from './family.ts';

interface DirectoryOptions {
  readonly family: NotifiedKind;
  readonly namespace: string;
  readonly configMaps: Pick<ObjectView<KubeObject>, 'get'>;
  readonly secrets: Pick<ObjectView<KubeObject>, 'get'>;
}

/** The settings of the installation and of its tenants, each read again when its ConfigMap or Secret has changed. */
export class SettingsDirectory {
  readonly #options: DirectoryOptions;
  readonly #engines = new Map<string, { sources: readonly (KubeObject | undefined)[]; engine: Engine }>();

  constructor(options: DirectoryOptions) {
    this.#options = options;
  }

  /** What counts for objects of a namespace: the installation's, and the namespace's own with self-service. */
  for(namespace: string): Engine[] {
    const { family, namespace: own, configMaps } = this.#options;
    const found = [this.engine(own)];
    if (family.selfService && namespace !== own && configMaps.get(namespace, family.configMapName))
      found.unshift(this.engine(namespace));
    return found;
  }

  engine(namespace: string): Engine {
    const { family, namespace: own, configMaps, secrets } = this.#options;
    const sources = [configMaps.get(namespace, family.configMapName), secrets.get(namespace, family.secretName)];
    const known = this.#engines.get(namespace);
    if (known && sources.every((source, i) => source === known.sources[i])) return known.engine;
    const settings = readSettings({
      namespace,
      isSelfService: namespace !== own,
      configMapName: family.configMapName,
      secretName: family.secretName,
      configMap: dataOf(sources[0]),
      secret: decoded(sources[1]),
    });
    const engine = new Engine(settings, family.catalogue);
    this.#engines.set(namespace, { sources, engine });
    return engine;
  }
}

function decoded(secret: KubeObject | undefined): Map<string, string> {
  return new Map([...dataOf(secret)].map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]));
}
