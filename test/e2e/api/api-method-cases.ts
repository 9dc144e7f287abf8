import type { Answer } from './api-client.ts';

export type Code = Answer['code'];
export type Request = Record<string, unknown>;
type Check = (value: never) => unknown;

/** What one method answers to a right request, and what to others; the codes are those of Argo CD 3.5.1. */
export interface MethodCases {
  /**
   * A request of the administrator, with what must be true of its answer; `changes` if it can be made once alone, `before` what
   * makes it right.
   */
  readonly right?: {
    readonly request: Request;
    readonly holds?: Check;
    readonly changes?: boolean;
    readonly before?: () => Promise<unknown>;
  };
  /** Something that is not there, asked for by the administrator. */
  readonly missing?: readonly [Request, Code];
  /** Of somebody without any permission. */
  readonly denied?: readonly [Request, Code];
  /** A request that is wrong in itself. */
  readonly bad?: readonly [Request, Code];
}

export interface Fixture {
  readonly namespace: string;
  /** Destination of the application `api-shop`. */
  readonly target: string;
  readonly repository: string;
  readonly commit: string;
  readonly charts: string;
  readonly registry: string;
  /** A cluster that is not registered, with credentials of a service account. */
  readonly cluster: { readonly server: string; readonly config: Readonly<Record<string, unknown>> };
  /** In the history of `api-shop`. */
  readonly deployment: number;
  /** Resolves when no operation of `api-shop` runs. */
  readonly settled: () => Promise<unknown>;
  /** Resolves when an operation of `api-stuck` waits for its next attempt. */
  readonly stuck: () => Promise<unknown>;
}

export const server = 'https://kubernetes.default.svc';
export const denied = (request: Request): readonly [Request, Code] => [request, 'PermissionDenied'];
