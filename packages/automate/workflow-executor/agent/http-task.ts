import type { KubeObject } from '@tiphys/kubernetes';
import { expressionHolds } from '@tiphys/workflows';
import type { Cluster } from '../cluster/open-cluster.ts';
import type { Template } from '../pod/template.ts';
import type { HttpAnswer, HttpClient } from './http-client.ts';
import type { NodeResult } from './node-result.ts';

type Http = NonNullable<Template['http']>;

interface Surroundings {
  readonly cluster: Cluster;
  readonly http: HttpClient;
  readonly signal: AbortSignal;
}

/** Sends the request of an `http` template and judges the answer: by its condition, else 2xx is success. */
export async function runHttp(template: Template, { cluster, http, signal }: Surroundings): Promise<NodeResult> {
  const wanted = template.http;
  if (!wanted) throw new Error('agent cannot execute: unknown task type');
  const until = wanted.timeoutSeconds
    ? AbortSignal.any([signal, AbortSignal.timeout(Number(wanted.timeoutSeconds) * 1000)])
    : signal;
  const bytes = wanted.bodyFrom?.bytes;
  const body = bytes ? Buffer.from(String(bytes), 'base64') : (wanted.body ?? '');
  const headers = await headersOf(wanted, cluster);
  const answer = await http.send({
    method: wanted.method || 'GET',
    url: wanted.url,
    headers,
    body,
    insecure: wanted.insecureSkipVerify === true,
    signal: until,
  });
  return { ...verdict(wanted, answer, headers), outputs: { result: answer.text } };
}

function verdict(wanted: Http, answer: HttpAnswer, headers: [string, string][]): NodeResult {
  const { successCondition } = wanted;
  if (!successCondition) {
    const isGood = answer.status >= 200 && answer.status < 300;
    return isGood
      ? { phase: 'Succeeded', message: '' }
      : { phase: 'Failed', message: `received non-2xx response code: ${answer.status}` };
  }
  const sent: Record<string, string[]> = {};
  for (const [name, value] of headers) sent[name] = [...(sent[name] ?? []), value];
  const holds = expressionHolds(
    successCondition,
    new Map<string, unknown>([
      [
        'request',
        {
          method: wanted.method ?? '',
          url: wanted.url,
          body: wanted.body ?? '',
          bodyBytes: wanted.bodyFrom?.bytes ?? '',
          headers: sent,
        },
      ],
      ['response', { statusCode: answer.status, body: answer.text, headers: answer.headers }],
    ]) as never,
  );
  return holds
    ? { phase: 'Succeeded', message: '' }
    : { phase: 'Failed', message: `successCondition '${successCondition}' evaluated false` };
}

async function headersOf(wanted: Http, { client, namespace }: Cluster): Promise<[string, string][]> {
  const headers: [string, string][] = [];
  for (const { name, value, valueFrom } of wanted.headers ?? []) {
    const ref = valueFrom?.secretKeyRef;
    headers.push([name, ref ? await secretValue({ client, namespace }, ref) : (value ?? '')]);
  }
  return headers;
}

async function secretValue(
  { client, namespace }: Cluster,
  { name = '', key }: { name?: string; key: string },
): Promise<string> {
  const secret = await client.get<KubeObject & { data?: Record<string, string> }>({
    apiVersion: 'v1',
    kind: 'Secret',
    namespace,
    name,
  });
  const value = secret.data && Object.hasOwn(secret.data, key) ? secret.data[key] : undefined;
  if (value === undefined) throw new Error(`The Secret ${name} has no key ${key}`);
  return Buffer.from(value, 'base64').toString('utf8');
}
