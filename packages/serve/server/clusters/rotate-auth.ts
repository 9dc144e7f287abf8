import { type Client, type Clock, isNotFound, type KubeObject } from '@tiphys/kubernetes';
import { failedPrecondition, invalidArgument } from '../rpc/rpc-error.ts';

interface TokenSecret extends KubeObject {
  data?: { token?: string };
}

interface Claims {
  readonly namespace: string;
  readonly secret: string;
  readonly account: string;
}

const timeout = 30_000;

/**
 * Makes a new token Secret beside the one that the token is from, and gives its token with what is to be done once it is in use:
 * the account names the new Secret alone then, and the old one is deleted, so that its token ends.
 */
export async function rotateToken(
  client: Client,
  token: string,
  clock: Clock,
): Promise<{ token: string; retireOld: (client: Client) => Promise<void> }> {
  const claims = claimsOf(token);
  const { namespace } = claims;
  const ref = { apiVersion: 'v1', kind: 'Secret', namespace };
  const existing = await client.get<TokenSecret>({ ...ref, name: claims.secret });
  const created = await client.create<TokenSecret>({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      generateName: `${claims.secret.split('-').slice(0, -1).join('-')}-`,
      namespace,
      annotations: { ...existing.metadata.annotations },
    },
    type: 'kubernetes.io/service-account-token',
  });
  const name = created.metadata.name ?? '';
  const fresh = await filled(client, { ...ref, name }, clock);
  const retireOld = async (renewed: Client) => {
    await nameInAccount(renewed, claims, name);
    try {
      await renewed.delete({ ...ref, name: claims.secret });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  };
  return { token: fresh, retireOld };
}

async function filled(
  client: Client,
  ref: { apiVersion: string; kind: string; namespace: string; name: string },
  clock: Clock,
): Promise<string> {
  const deadline = clock.now() + timeout;
  for (;;) {
    const { data } = await client.get<TokenSecret>(ref);
    if (data?.token) return Buffer.from(data.token, 'base64').toString('utf8');
    if (clock.now() >= deadline)
      throw failedPrecondition(
        `the cluster did not put a token into Secret ${ref.namespace}/${ref.name} within ${timeout / 1000} s: its token controller may not run`,
      );
    await clock.sleep(250);
  }
}

async function nameInAccount(client: Client, { namespace, account, secret }: Claims, fresh: string): Promise<void> {
  const ref = { apiVersion: 'v1', kind: 'ServiceAccount', namespace, name: account };
  const found = await client.get<KubeObject & { secrets?: { name?: string }[] }>(ref);
  const others = (found.secrets ?? []).filter(({ name }) => name !== secret && name !== fresh);
  await client.update({ ...found, secrets: [...others, { name: fresh }] });
}

/** Of a token of the kind that has a Secret; what the token proves is the API server's to check. */
function claimsOf(token: string): Claims {
  let payload: Record<string, unknown>;
  try {
    payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as Record<
      string,
      unknown
    >;
  } catch (error) {
    throw invalidArgument(
      `the bearer token of the cluster is no service account token: ${error instanceof Error ? error.message : ''}`,
    );
  }
  const claim = (name: string) => String(payload[`kubernetes.io/serviceaccount/${name}`] ?? '');
  const claims = {
    namespace: claim('namespace'),
    secret: claim('secret.name'),
    account: claim('service-account.name'),
  };
  if (claims.namespace && claims.secret && claims.account) return claims;
  throw invalidArgument(
    'the bearer token of the cluster is not from a Secret of a service account, so that there is nothing to rotate: bound tokens end by themselves',
  );
}
