import type { Identity } from './identity.ts';

/** One call of one method, whichever way it came in. */
export interface Call {
  /** `/application.ApplicationService/Get` */
  readonly method: string;
  /** Who calls; undefined without a valid token. */
  readonly identity: Identity | undefined;
  /** Aborts when the caller goes away. */
  readonly signal: AbortSignal;
  /** The presented token as it came, for revocation. */
  readonly token: string | undefined;
  /** A new token for a browser whose session would end within minutes. */
  readonly renewed?: string;
  /** A request header or metadata entry by lower-case name. */
  header(name: string): string | undefined;
}
