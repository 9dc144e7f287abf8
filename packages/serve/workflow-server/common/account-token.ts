import type { Client, KubeObject } from '@tiphys/kubernetes';

export type ServiceAccount = KubeObject & { readonly secrets?: readonly { readonly name: string }[] };

/** Upstream's annotation: the Secret that has the token of a ServiceAccount. */
const secretAnnotation = 'workflows.argoproj.io/service-account-token.name';

/** The token of a ServiceAccount, from the Secret that Kubernetes keeps it in. Throws if there is none. */
export async function accountToken(client: Client, { metadata, secrets }: ServiceAccount): Promise<string> {
  const { name = '', namespace = '', annotations } = metadata;
  const wanted = secrets?.[0]?.name ?? annotations?.[secretAnnotation] ?? `${name}.service-account-token`;
  const secret = await client.get({ apiVersion: 'v1', kind: 'Secret', namespace, name: wanted });
  const token = ((secret.data ?? {}) as Readonly<Record<string, string>>).token ?? '';
  if (!token) throw new Error(`Secret ${namespace}/${wanted} has no token of ServiceAccount ${name}`);
  return Buffer.from(token, 'base64').toString('utf8');
}
