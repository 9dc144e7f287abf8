import { ApiError } from '@tiphys/kubernetes';
import { type AnyHandler, Code, RpcError, rpcErrorOf } from '@tiphys/server';
import { VerbError } from '@tiphys/workflows';

/** Codes that Argo Workflows gives for answers of Kubernetes, by their HTTP status. */
const codes: Readonly<Record<number, Code>> = {
  400: Code.InvalidArgument,
  401: Code.Unauthenticated,
  403: Code.PermissionDenied,
  404: Code.NotFound,
  408: Code.Canceled,
  409: Code.AlreadyExists,
  429: Code.ResourceExhausted,
  500: Code.Internal,
  501: Code.Unimplemented,
  503: Code.Unavailable,
  504: Code.DeadlineExceeded,
};

/** Any caught value with the code that Argo Workflows would give. */
export function flowError(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  if (error instanceof VerbError)
    return new RpcError(error.isBadRequest ? Code.InvalidArgument : Code.Internal, error.message, { cause: error });
  const known = rpcErrorOf(error);
  if (!(error instanceof ApiError)) return known;
  const code = codes[error.status] ?? (error.status >= 500 ? Code.Internal : Code.InvalidArgument);
  return new RpcError(code, known.message, { cause: error, diagnoses: known.diagnoses });
}

/** A handler whose failures have the codes of Argo Workflows. */
export function withFlowErrors(handler: AnyHandler): AnyHandler {
  return (request, call) => {
    const answer = handler(request, call);
    return Symbol.asyncIterator in answer
      ? items(answer)
      : answer.catch((error: unknown) => {
          throw flowError(error);
        });
  };
}

async function* items(answer: AsyncIterable<unknown>): AsyncIterable<unknown> {
  try {
    yield* answer;
  } catch (error) {
    throw flowError(error);
  }
}
