import { Code } from '@connectrpc/connect';
import { WireError } from '@tiphys/api';
import { type Diagnosis, DiagnosisError, formatDiagnosis, redact } from '@tiphys/diagnosis';
import { ApiError } from '@tiphys/kubernetes';

export { Code };

/** A refusal with the gRPC code that Argo CD gives for it; the message is for users. */
export class RpcError extends Error {
  readonly code: Code;
  /** What is known of the causes; `docs/diagnoses.md` lists their codes. */
  readonly diagnoses: readonly Diagnosis[];

  constructor(code: Code, message: string, options: ErrorOptions & { diagnoses?: readonly Diagnosis[] } = {}) {
    super(redact(message), options);
    this.name = 'RpcError';
    this.code = code;
    // what Kubernetes answered is reported in its own words, and names its address
    const own = (cause: unknown) => cause instanceof DiagnosisError && !(cause instanceof ApiError);
    const { cause, diagnoses = own(cause) ? [(cause as DiagnosisError).diagnosis] : [] } = options;
    this.diagnoses = diagnoses;
  }
}

export const notFound = (message: string) => new RpcError(Code.NotFound, message);
export const invalidArgument = (message: string, diagnoses: readonly Diagnosis[] = []) =>
  new RpcError(Code.InvalidArgument, message, { diagnoses });
export const permissionDenied = (message = 'permission denied') => new RpcError(Code.PermissionDenied, message);
export const unauthenticated = (message: string) => new RpcError(Code.Unauthenticated, message);
export const resourceExhausted = (message: string) => new RpcError(Code.ResourceExhausted, message);
export const failedPrecondition = (message: string) => new RpcError(Code.FailedPrecondition, message);

const codesByReason: Record<string, Code> = {
  NotFound: Code.NotFound,
  AlreadyExists: Code.AlreadyExists,
  Invalid: Code.InvalidArgument,
  MethodNotAllowed: Code.Unimplemented,
  ServiceUnavailable: Code.Unavailable,
  BadRequest: Code.FailedPrecondition,
  Unauthorized: Code.Unauthenticated,
  Forbidden: Code.PermissionDenied,
  Timeout: Code.DeadlineExceeded,
  ServerTimeout: Code.Unavailable,
  Conflict: Code.Aborted,
  TooManyRequests: Code.ResourceExhausted,
  InternalError: Code.Internal,
};

/**
 * Any caught value as an `RpcError`. Answers of Kubernetes keep their own words and get the code that Argo CD maps
 * them to; diagnoses are Unknown, as Go's plain errors are; what nobody expected is Internal.
 */
export function rpcErrorOf(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  if (error instanceof WireError) return new RpcError(Code.InvalidArgument, error.message, { cause: error });
  if (error instanceof ApiError) {
    const body = error.body as { message?: unknown } | undefined;
    const words = typeof body?.message === 'string' && body.message ? body.message : formatDiagnosis(error.diagnosis);
    return new RpcError(codesByReason[error.reason] ?? Code.Unknown, words, { cause: error });
  }
  if (error instanceof DiagnosisError)
    return new RpcError(Code.Unknown, formatDiagnosis(error.diagnosis), { cause: error });
  if (error instanceof Error && error.name === 'AbortError') return new RpcError(Code.Canceled, 'context canceled');
  // its words may be those of the source; the log has them
  return new RpcError(Code.Internal, 'internal error: the log of the server says more', { cause: error });
}

/** The same refusal with what was being done in front of its words, as upstream wraps errors. */
export function wrapped(doing: string, error: unknown): RpcError {
  const { code, message, diagnoses } = rpcErrorOf(error);
  return new RpcError(code, `${doing}: ${message}`, { cause: error, diagnoses });
}

const httpStatuses: Record<Code, number> = {
  [Code.Canceled]: 408,
  [Code.Unknown]: 500,
  [Code.InvalidArgument]: 400,
  [Code.DeadlineExceeded]: 504,
  [Code.NotFound]: 404,
  [Code.AlreadyExists]: 409,
  [Code.PermissionDenied]: 403,
  [Code.Unauthenticated]: 401,
  [Code.ResourceExhausted]: 429,
  [Code.FailedPrecondition]: 400,
  [Code.Aborted]: 409,
  [Code.OutOfRange]: 400,
  [Code.Unimplemented]: 501,
  [Code.Internal]: 500,
  [Code.Unavailable]: 503,
  [Code.DataLoss]: 500,
};

/** HTTP status of a gRPC code as Argo CD's gateway maps it. */
export function httpStatusOf(code: Code): number {
  return httpStatuses[code] ?? 500;
}
