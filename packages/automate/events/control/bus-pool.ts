import type { Bus } from '../bus/bus.ts';
import { type OpenBusOptions, openBus } from '../bus/open-bus.ts';
import type { BusConfig } from '../spec/event-bus.ts';

interface Entry {
  readonly bus: Promise<Bus>;
  users: number;
}

/** One connection to each bus for all event sources and sensors of the process. */
export class BusPool {
  readonly #options: (namespace: string) => Omit<OpenBusOptions, 'config' | 'namespace' | 'name'>;
  readonly #open = new Map<string, Entry>();

  constructor(options: (namespace: string) => Omit<OpenBusOptions, 'config' | 'namespace' | 'name'>) {
    this.#options = options;
  }

  /** The bus, and what gives it back. */
  async use(namespace: string, name: string, config: BusConfig): Promise<{ bus: Bus; release: () => Promise<void> }> {
    const key = JSON.stringify([namespace, name, config]);
    let entry = this.#open.get(key);
    if (!entry) {
      entry = { bus: openBus({ ...this.#options(namespace), config, namespace, name }), users: 0 };
      this.#open.set(key, entry);
      entry.bus.catch(() => this.#open.delete(key));
    }
    const mine = entry;
    mine.users += 1;
    const release = async () => {
      mine.users -= 1;
      if (mine.users > 0) return;
      if (this.#open.get(key) === mine) this.#open.delete(key);
      await (await mine.bus).close();
    };
    return { bus: await mine.bus, release };
  }
}
