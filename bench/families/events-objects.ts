import { type Client, type KubeObject, pause, systemClock } from '@tiphys/kubernetes';

const apiVersion = 'argoproj.io/v1alpha1';

export const eventsNamespace = 'default';

/** A webhook `/pINDEX`. */
export function sourceOf(index: number, port: number, more: object = {}): KubeObject {
  const webhook = { e: { port: String(port), endpoint: `/p${index}`, method: 'POST', ...more } };
  return {
    apiVersion,
    kind: 'EventSource',
    metadata: { name: `s${index}`, namespace: eventsNamespace },
    spec: { webhook },
  } as KubeObject;
}

/** Sends what the source of the same index hears to an address, with its `id` and `sent`. */
export function sensorOf(index: number, url: string): KubeObject {
  const payload = ['id', 'sent'].map((dest) => ({
    src: { dependencyName: 'a', dataKey: `body.${dest}`, useRawData: true, value: '' },
    dest,
  }));
  const spec = {
    dependencies: [{ name: 'a', eventSourceName: `s${index}`, eventName: 'e' }],
    triggers: [{ template: { name: 't', http: { url, method: 'POST', payload } } }],
  };
  const metadata = { name: `n${index}`, namespace: eventsNamespace };
  return { apiVersion, kind: 'Sensor', metadata, spec } as KubeObject;
}

type Conditioned = KubeObject & { readonly status?: { readonly conditions?: readonly { readonly status: string }[] } };

/** Resolves when so many EventSources and Sensors are ready. */
export async function allReady(client: Client, size: number): Promise<void> {
  for (const kind of ['EventSource', 'Sensor']) {
    for (;;) {
      const { items } = await client.list<Conditioned>({ apiVersion, kind, namespace: eventsNamespace });
      const isReady = ({ status }: Conditioned) =>
        status?.conditions?.every((condition) => condition.status === 'True');
      if (items.length >= size && items.every(isReady)) break;
      await pause(systemClock, 200);
    }
  }
}
