import { isNotFound, type KubeObject } from '@tiphys/kubernetes';
import { Controller, type ControllerContext, keyFor, splitKey } from '../machinery/controller.ts';

/** What fills the Secrets: the signer of tokens that the API server believes, and its authority. */
export interface ServiceAccountTokens {
  /** A token without end for the account that is valid while this Secret holds it. */
  sign(account: KubeObject, secret: KubeObject): string;
  /** PEM. */
  readonly rootCa: string;
}

interface Secret extends KubeObject {
  type?: string;
  data?: Record<string, string>;
}

interface ServiceAccount extends KubeObject {
  secrets?: { name?: string }[];
}

const TYPE = 'kubernetes.io/service-account-token';
const NAME = 'kubernetes.io/service-account.name';
const UID = 'kubernetes.io/service-account.uid';

/**
 * Fills Secrets of the type `kubernetes.io/service-account-token` with token, authority and namespace, and deletes those
 * whose account is gone; a deleted Secret leaves the account's `secrets`. What kube-controller-manager's tokens
 * controller does.
 */
export function startServiceAccountTokensController(context: ControllerContext, tokens: ServiceAccountTokens): void {
  const accounts = context.stores.of<ServiceAccount>('v1', 'ServiceAccount');
  const secrets = context.stores.of<Secret>('v1', 'Secret', { fieldSelector: `type=${TYPE}` });
  const controller = new Controller(context, 'tokens-controller');
  const ofAccount = secrets.index(({ metadata }) => [`${metadata.namespace}/${metadata.annotations?.[NAME] ?? ''}`]);
  controller.watch(secrets);
  controller.watch(accounts, (account) => [...ofAccount(keyFor(account))].map(keyFor));
  controller.run(async (key) => {
    const [namespace, name] = splitKey(key);
    const secret = secrets.get(namespace, name);
    if (!secret) return;
    const account = accounts.get(namespace, secret.metadata.annotations?.[NAME] ?? '') ?? (await live(secret));
    const wanted = secret.metadata.annotations?.[UID];
    if (!account || (wanted && wanted !== account.metadata.uid)) return void (await controller.delete(secrets, secret));
    if (isFilled(secret)) return;
    const current = await controller.client.find<Secret>({ apiVersion: 'v1', kind: 'Secret', namespace, name });
    if (!current || current.metadata.uid !== secret.metadata.uid || isFilled(current)) return;
    try {
      await controller.update(secrets, filled(current, account));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  });

  const references = new Controller(context, 'tokens-controller');
  secrets.subscribe(({ type, object }) => {
    if (type === 'deleted') references.queue.add(`${keyFor(object)}/${object.metadata.annotations?.[NAME] ?? ''}`);
  });
  references.run(async (key) => {
    const [namespace, name, accountName] = key.split('/') as [string, string, string];
    const account = accounts.get(namespace, accountName);
    if (secrets.get(namespace, name) || !account?.secrets?.some((reference) => reference.name === name)) return;
    const current = await live({ metadata: { namespace, annotations: { [NAME]: accountName } } });
    if (!current) return;
    await controller.update(accounts, {
      ...current,
      secrets: (current.secrets ?? []).filter((reference) => reference.name !== name),
    });
  });

  function live({ metadata }: Pick<KubeObject, 'metadata'>): Promise<ServiceAccount | undefined> {
    const { namespace = '', annotations = {} } = metadata;
    const ref = { apiVersion: 'v1', kind: 'ServiceAccount', namespace, name: annotations[NAME] ?? '' };
    return controller.client.find<ServiceAccount>(ref);
  }

  function isFilled({ data = {} }: Secret): boolean {
    return Boolean(data.token && data.namespace && data['ca.crt'] === encode(tokens.rootCa));
  }

  function filled(secret: Secret, account: ServiceAccount): Secret {
    const { data = {}, metadata } = secret;
    const { name = '', uid = '' } = account.metadata;
    return {
      ...secret,
      metadata: { ...metadata, annotations: { ...metadata.annotations, [NAME]: name, [UID]: uid } },
      data: {
        ...data,
        'ca.crt': encode(tokens.rootCa),
        namespace: data.namespace || encode(metadata.namespace ?? ''),
        token: data.token || encode(tokens.sign(account, secret)),
      },
    };
  }
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64');
}
