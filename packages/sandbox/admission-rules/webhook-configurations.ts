import type { ClientConfig, ServerContext } from '@tiphys/apimachinery';
import type { KubeObject, LabelSelector } from '@tiphys/kubernetes';
import type { MatchCondition } from './match-conditions.ts';
import type { Rule } from './rules.ts';

/** One webhook of a configuration. */
export interface Webhook {
  name: string;
  clientConfig: ClientConfig;
  rules?: Rule[];
  failurePolicy?: string;
  matchPolicy?: string;
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  sideEffects?: string;
  timeoutSeconds?: number;
  reinvocationPolicy?: string;
  admissionReviewVersions?: string[];
  matchConditions?: MatchCondition[];
}

/** A webhook, where it is written and a text that no other webhook has. */
export interface ConfiguredWebhook {
  readonly webhook: Webhook;
  readonly configuration: string;
  readonly id: string;
}

/** All webhooks of a kind of configuration, in the order in which they are called: by the configurations' names. */
export function webhooksOf({ store }: ServerContext, plural: string): ConfiguredWebhook[] {
  const collection = store.collection(`admissionregistration.k8s.io/${plural}`);
  if (!collection.size) return [];
  return collection.keys().flatMap((key) => {
    const object = collection.get(key)?.object as KubeObject & { webhooks?: Webhook[] };
    return (object.webhooks ?? []).map((webhook, index) => ({
      webhook,
      configuration: key,
      id: `${key}/${webhook.name}/${index}`,
    }));
  });
}
