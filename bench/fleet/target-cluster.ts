import { type Client, connect, type KubeObject, systemClock } from '@tiphys/kubernetes';
import { type Sandbox, startSandbox } from '@tiphys/sandbox';

/** A sandbox that applications are delivered to, without nodes and controllers of its own. */
export class Target {
  /** What it was asked since it started, or since whoever reads it has set it to 0. */
  requests = 0;
  readonly #name: string;
  readonly #sandbox: Sandbox;
  readonly #client: Client;

  static async start(index: number): Promise<Target> {
    let count = () => {};
    const log = (line: string) => {
      if (line.includes('"stage":"ResponseComplete"')) count();
    };
    const target = new Target(`cluster-${index}`, await startSandbox({ nodes: 0, controllers: false, audit: { log } }));
    count = () => {
      target.requests += 1;
    };
    return target;
  }

  private constructor(name: string, sandbox: Sandbox) {
    this.#name = name;
    this.#sandbox = sandbox;
    this.#client = connect(sandbox.config, { caller: { component: 'bench', purpose: 'measure' }, clock: systemClock });
  }

  get url(): string {
    return this.#sandbox.url;
  }

  /** What makes it known to Argo CD. */
  secret(): KubeObject {
    return {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: this.#name,
        namespace: 'argocd',
        labels: { 'argocd.argoproj.io/secret-type': 'cluster' },
      },
      stringData: {
        name: this.#name,
        server: this.url,
        config: JSON.stringify({ bearerToken: this.#sandbox.config.bearerToken }),
      },
    };
  }

  async makeNamespace(name: string): Promise<void> {
    await this.#client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }

  async close(): Promise<void> {
    await this.#client.close();
    await this.#sandbox.close();
  }
}
