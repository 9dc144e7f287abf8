import type { Container, Pod } from '@tiphys/kube-controllers';
import type { Client, KubeObject } from '@tiphys/kubernetes';
import { type FieldRef, podField, type ResourceFieldRef, resourceField } from './pod-fields.ts';

interface Source {
  configMapKeyRef?: { name?: string; key?: string; optional?: boolean };
  secretKeyRef?: { name?: string; key?: string; optional?: boolean };
  fieldRef?: FieldRef;
  resourceFieldRef?: ResourceFieldRef;
}

/** The variables that a container's `envFrom` and `env` give, in their order, with `$(NAME)` expanded. */
export async function containerEnvironment(
  client: Client,
  pod: Pod,
  container: Container,
): Promise<Record<string, string>> {
  const { namespace = '' } = pod.metadata;
  const env: Record<string, string> = {};
  for (const { prefix = '', configMapRef, secretRef } of container.envFrom ?? []) {
    const kind = configMapRef ? 'ConfigMap' : 'Secret';
    const data = await dataOf(client, { kind, namespace, name: (configMapRef ?? secretRef)?.name ?? '' });
    for (const [key, value] of Object.entries(data)) env[prefix + key] = value.toString();
  }
  for (const { name, value, valueFrom } of container.env ?? []) {
    const found = valueFrom
      ? await referencedValue(client, pod, container, valueFrom as Source)
      : expandVariables(value ?? '', env);
    if (found !== undefined) env[name] = found;
  }
  return env;
}

/** `$(NAME)` of the variables; `$$(NAME)` is `$(NAME)` as it is, and unknown names stay. */
export function expandVariables(text: string, env: Readonly<Record<string, string>>): string {
  return text.replace(/\$(\$|\(([^()\s]+)\))/g, (all, inner: string, name?: string) =>
    inner === '$' ? '$' : (env[name ?? ''] ?? all),
  );
}

async function referencedValue(
  client: Client,
  pod: Pod,
  container: Container,
  from: Source,
): Promise<string | undefined> {
  if (from.fieldRef) return podField(pod, from.fieldRef);
  if (from.resourceFieldRef) return resourceField(pod, container, from.resourceFieldRef);
  const kind = from.configMapKeyRef ? 'ConfigMap' : 'Secret';
  const { name = '', key = '' } = from.configMapKeyRef ?? from.secretKeyRef ?? {};
  const data = await dataOf(client, { kind, namespace: pod.metadata.namespace ?? '', name });
  return data[key]?.toString();
}

/** The bytes of a ConfigMap or Secret; nothing where there is none, which only optional ones come to. */
export async function dataOf(
  client: Client,
  ref: { kind: 'ConfigMap' | 'Secret'; namespace: string; name: string },
): Promise<Record<string, Buffer>> {
  const object = (await client.find({ apiVersion: 'v1', ...ref })) as
    | (KubeObject & { data?: Record<string, string>; binaryData?: Record<string, string> })
    | undefined;
  const encoded = ref.kind === 'Secret' ? object?.data : object?.binaryData;
  const plain = ref.kind === 'Secret' ? {} : object?.data;
  return Object.fromEntries([
    ...Object.entries(plain ?? {}).map(([key, text]) => [key, Buffer.from(text)]),
    ...Object.entries(encoded ?? {}).map(([key, text]) => [key, Buffer.from(text, 'base64')]),
  ]);
}
