import type { DiagnosisKind, Finding } from '@tiphys/diagnosis';

/** What was asked, as far as known, to say it in the diagnosis of a refusal. */
export interface Asked {
  method: string;
  path: string;
  server: string;
  /** `apps/Deployment shop/web`. */
  object?: string;
  namespace?: string;
}

/** A cause of a Status. */
export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

/** A Status of the API server. */
export interface Status {
  kind?: string;
  message?: string;
  reason?: string;
  code?: number;
  details?: { name?: string; group?: string; kind?: string; causes?: StatusCause[]; retryAfterSeconds?: number };
}

/** What a refusal means. */
export interface Explained extends Finding {
  kind: DiagnosisKind;
  handling?: 'stalled' | 'waiting' | 'retryable';
  field?: string;
}

export type Explain = (status: Status, message: string, asked: Asked) => Explained | undefined;
