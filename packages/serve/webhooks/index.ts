export { type Announcement, concerns } from './concerns.ts';
export type { Proposal, PullRequestEvent, PushEvent, RegistryEvent, WebhookEvent } from './event.ts';
export { type Parsed, readWebhook, type WebhookSecrets } from './read-webhook.ts';
export { sameSecret } from './signature.ts';
