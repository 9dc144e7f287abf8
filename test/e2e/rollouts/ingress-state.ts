import { type Client, Informer, type KubeObject, systemClock } from '@tiphys/kubernetes';

interface Slice extends KubeObject {
  endpoints?: { conditions?: { ready?: boolean }; targetRef?: { name?: string } }[];
}

interface IngressObject extends KubeObject {
  spec?: { rules?: { http?: { paths?: { backend?: { service?: { name?: string } } }[] } }[] };
}

export interface Answer {
  readonly ok: boolean;
  /** The hash of the pod that answered, or what went wrong. */
  readonly text: string;
}

/** What stands before the pods and routes requests to them. */
export interface RequestProxy {
  start(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
  /** One request of a caller. */
  call(): Promise<Answer>;
}

/** What the NGINX controller knows: Ingress, canary Ingress and EndpointSlices of a namespace. */
export class IngressState {
  readonly #ingresses: Informer<IngressObject>;
  readonly #slices: Informer<Slice>;

  constructor(client: Client, namespace: string) {
    const follow = <T extends KubeObject>(apiVersion: string, kind: string) =>
      new Informer<T>(client, { ref: { apiVersion, kind, namespace }, clock: systemClock });
    this.#ingresses = follow('networking.k8s.io/v1', 'Ingress');
    this.#slices = follow('discovery.k8s.io/v1', 'EndpointSlice');
  }

  async start(signal: AbortSignal): Promise<void> {
    for (const informer of [this.#ingresses, this.#slices]) informer.start(signal);
    await Promise.all([this.#ingresses.synced, this.#slices.synced]);
  }

  subscribe(changed: () => void): void {
    for (const informer of [this.#ingresses, this.#slices]) informer.subscribe(changed);
  }

  /** The Services of the Ingresses, and the share of requests of the canary in percent. */
  routes(): { stable: string; canary: string | undefined; weight: number } {
    const ingresses = [...this.#ingresses.list()];
    const prefix = 'nginx.ingress.kubernetes.io';
    const canary = ingresses.find(({ metadata }) => metadata.annotations?.[`${prefix}/canary`] === 'true');
    const stable = ingresses.find((each) => each !== canary);
    return {
      stable: serviceOf(stable),
      canary: canary && serviceOf(canary),
      weight: Number(canary?.metadata.annotations?.[`${prefix}/canary-weight`] ?? 0),
    };
  }

  /** The pods that a Service leads to. */
  podsOf(service: string): string[] {
    return [...this.#slices.list()]
      .filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === service)
      .flatMap(({ endpoints }) => endpoints ?? [])
      .flatMap(({ conditions, targetRef }) => (conditions?.ready !== false ? (targetRef?.name ?? []) : []));
  }
}

const serviceOf = (ingress: IngressObject | undefined): string =>
  ingress?.spec?.rules?.[0]?.http?.paths?.[0]?.backend?.service?.name ?? '';
