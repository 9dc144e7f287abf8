import type { WebhookSecrets } from '@tiphys/webhooks';
import type { ControlPlane } from '../settings/control-plane.ts';

/** Keys `webhook.*` of `argocd-secret`; `$key` names another key of it, `$secret:key` one of another Secret. */
export function webhookSecrets(plane: ControlPlane): WebhookSecrets {
  const own = plane.secret('argocd-secret');
  const value = (key: string): string => {
    const text = own[`webhook.${key}`] ?? '';
    const [, secret, name] = /^\$(?:([^:]+):)?(.+)$/.exec(text) ?? [];
    if (!name) return text;
    return (secret ? plane.secret(secret) : own)[name] ?? text;
  };
  return {
    github: value('github.secret'),
    gitlab: value('gitlab.secret'),
    gogs: value('gogs.secret'),
    bitbucketUuid: value('bitbucket.uuid'),
    bitbucketServer: value('bitbucketserver.secret'),
    azureUsername: value('azuredevops.username'),
    azurePassword: value('azuredevops.password'),
    harbor: value('harbor.secret'),
  };
}
