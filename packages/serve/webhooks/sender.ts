import type { WebhookEvent } from './event.ts';
import type { JsonView } from './json-view.ts';

export interface WebhookRequest {
  /** A header by its lower-case name; empty if absent. */
  header(name: string): string;
}

/** Values of `argocd-secret`, references resolved; empty or absent where none is set. */
export interface WebhookSecrets {
  readonly github?: string;
  readonly gitlab?: string;
  readonly gogs?: string;
  readonly bitbucketUuid?: string;
  readonly bitbucketServer?: string;
  readonly azureUsername?: string;
  readonly azurePassword?: string;
  readonly harbor?: string;
}

/** One kind of sender, with what proves that a request is from it. */
export interface Sender {
  readonly name: string;
  claims(request: WebhookRequest, secrets: WebhookSecrets): boolean;
  /** Whether the settings have a secret for it; without one anybody may send. */
  isSecured(secrets: WebhookSecrets): boolean;
  /** Checked before the body is read: what headers alone prove. Undefined if nothing speaks against the request. */
  refuseHeaders?(request: WebhookRequest, secrets: WebhookSecrets): string | undefined;
  /** Checked on the body. */
  refuseBody?(request: WebhookRequest, body: Buffer, secrets: WebhookSecrets): string | undefined;
  /** HTTP status of a refusal; 400 if absent. */
  readonly refusalStatus?: number;
  /** The events of a body. Empty for one that is well-formed but no business of ours; undefined for an event that is not known. */
  read(request: WebhookRequest, body: JsonView): readonly WebhookEvent[] | undefined;
}
