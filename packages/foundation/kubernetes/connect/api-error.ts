import { type Diagnosis, DiagnosisError, type FailureOptions } from '@tiphys/diagnosis';

/** An answer of the API server that is not a success. */
export class ApiError extends DiagnosisError {
  /** HTTP status code. */
  readonly status: number;
  /** `reason` of the Status object, such as `NotFound`; derived from the code when the answer has none. */
  readonly reason: string;
  /** The Status object, or the text of the answer. */
  readonly body?: unknown;

  constructor(
    diagnosis: Diagnosis,
    answer: { status: number; reason: string; body?: unknown },
    options: FailureOptions = {},
  ) {
    super(diagnosis, options);
    this.name = 'ApiError';
    this.status = answer.status;
    this.reason = answer.reason;
    this.body = answer.body;
  }
}

const hasReason = (error: unknown, ...reasons: string[]): error is ApiError =>
  error instanceof ApiError && reasons.includes(error.reason);

export const isNotFound = (error: unknown): error is ApiError => hasReason(error, 'NotFound');
/** Optimistic-locking and field-manager conflicts; an existing object is `isAlreadyExists`. */
export const isConflict = (error: unknown): error is ApiError => hasReason(error, 'Conflict');
export const isAlreadyExists = (error: unknown): error is ApiError => hasReason(error, 'AlreadyExists');
/** A resource version or continue token that the server no longer has. */
export const isExpired = (error: unknown): error is ApiError => hasReason(error, 'Expired', 'Gone');
export const isInvalid = (error: unknown): error is ApiError => hasReason(error, 'Invalid');
export const isForbidden = (error: unknown): error is ApiError => hasReason(error, 'Forbidden');
export const isUnauthorized = (error: unknown): error is ApiError => hasReason(error, 'Unauthorized');
/** The server had no time: it may have done what was asked, or not. */
export const isServerTimeout = (error: unknown): error is ApiError => hasReason(error, 'Timeout', 'ServerTimeout');
export const isTooManyRequests = (error: unknown): error is ApiError => hasReason(error, 'TooManyRequests');

const reasonsByCode: Record<number, string> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/** The reason that Kubernetes gives answers of the code. */
export function reasonOfCode(code: number): string {
  return reasonsByCode[code] ?? 'Unknown';
}
