import type { Client, KubeObject } from '@tiphys/kubernetes';
import type { Call } from '@tiphys/server';

/** What a token says of who has it. */
export interface Claims {
  readonly subject: string;
  readonly issuer?: string;
  readonly groups?: readonly string[];
  readonly email?: string;
  readonly emailVerified?: boolean;
  readonly name?: string;
  readonly preferredUsername?: string;
  readonly serviceAccountName?: string;
  readonly serviceAccountNamespace?: string;
}

/** A call with the rights that it has in the cluster. */
export interface FlowCall extends Call {
  readonly client: Client;
  readonly claims: Claims | undefined;
  /** All headers by their names in lower case. */
  headers(): Readonly<Record<string, string[]>>;
  /** Only where rights depend on the namespace that is asked for: the call as it is there; `client` has no rights before. */
  inNamespace?(namespace: string): Promise<FlowCall>;
}

/** The call with the rights that it has in a namespace; empty for what belongs to none. */
export function callIn(call: FlowCall, namespace: string): FlowCall | Promise<FlowCall> {
  return call.inNamespace ? call.inNamespace(namespace) : call;
}

/** Whether the caller may do something with workflows; empty `namespace` means all. */
export async function mayDo(
  { client, signal }: FlowCall,
  verb: string,
  {
    namespace,
    name = '',
    group = 'argoproj.io',
    resource = 'workflows',
  }: { namespace: string; name?: string; group?: string; resource?: string },
): Promise<boolean> {
  const review = await client.create<KubeObject>(
    {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      metadata: {},
      spec: {
        resourceAttributes: { verb, group, resource, ...(namespace ? { namespace } : {}), ...(name ? { name } : {}) },
      },
    },
    { signal },
  );
  return (review.status as { allowed?: boolean } | undefined)?.allowed === true;
}
