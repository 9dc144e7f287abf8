import type { ApiResource, KubeObject } from '@tiphys/kubernetes';

type Definition = KubeObject & {
  spec?: {
    group?: string;
    /** Of an APIService. */
    version?: string;
    names?: { kind?: string };
    versions?: { name?: string; served?: boolean }[];
  };
  status?: { conditions?: { type?: string; status?: string }[] };
};

interface Promised {
  readonly group: string;
  /** Of a definition; an APIService does not say which kinds it has. */
  readonly kind: string | undefined;
  readonly versions: readonly string[];
  /** Milliseconds since the epoch; after that it is not waited for any more. */
  readonly until: number;
}

/** kube-apiserver announces a kind some time after it has called its definition Established: a moment, seconds where it has much to do. */
const timeout = 60_000;

/** The custom resource definitions and API services of a cluster, for what they mean to discovery. */
export class Definitions {
  readonly #facts = new Map<string, string>();
  readonly #promised = new Map<string, Promised>();

  /** Notes a definition as it is now; true if discovery, which last told of `resources`, has to be asked for what it changes. */
  put(id: string, object: KubeObject, resources: readonly ApiResource[], now: number): boolean {
    const facts = factsOf(object);
    const before = this.#facts.get(id);
    if (before === facts) return false;
    this.#facts.set(id, facts);
    const promised = promiseOf(object, now + timeout);
    if (promised) this.#promised.set(id, promised);
    else this.#promised.delete(id);
    return before !== undefined || !promised || !isServed(promised, resources);
  }

  remove(id: string): void {
    this.#facts.delete(id);
    this.#promised.delete(id);
  }

  /** Whether discovery has to be asked again, because what it told does not have all that is promised. */
  isAwaiting(resources: readonly ApiResource[], now: number): boolean {
    for (const [id, promised] of this.#promised)
      if (promised.until < now || isServed(promised, resources)) this.#promised.delete(id);
    return this.#promised.size > 0;
  }
}

function isServed({ group, kind, versions }: Promised, resources: readonly ApiResource[]): boolean {
  const served = resources.filter(
    (resource) => resource.group === group && (kind === undefined || resource.kind === kind),
  );
  return versions.every((version) => served.some((resource) => resource.version === version));
}

/** What a definition that is Established, or an APIService that is Available, makes one expect of discovery. */
function promiseOf(object: KubeObject, until: number): Promised | undefined {
  const { kind, spec, status } = object as Definition;
  const isReady = status?.conditions?.some(
    (condition) => (condition.type === 'Established' || condition.type === 'Available') && condition.status === 'True',
  );
  if (!isReady) return undefined;
  const { group = '', version = '', versions = [], names } = spec ?? {};
  if (kind === 'APIService') return { group, kind: undefined, versions: [version], until };
  return {
    group,
    kind: names?.kind,
    versions: versions.flatMap(({ name, served }) => (served && name ? [name] : [])),
    until,
  };
}

/** What of a definition decides on what there is to watch. */
function factsOf(object: KubeObject): string {
  const { spec, status } = object as Definition;
  const versions = spec?.versions?.map(({ name, served }) => `${name}:${served}`) ?? [];
  const conditions =
    status?.conditions
      ?.filter(({ type }) => type === 'Established' || type === 'Available')
      .map(({ type, status: value }) => `${type}:${value}`) ?? [];
  return [...versions, ...conditions].join(' ');
}
