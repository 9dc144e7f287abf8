import { fromJson, type JsonObject } from '@bufbuild/protobuf';
import { StructSchema } from '@bufbuild/protobuf/wkt';
import type { Diagnosis } from '@tiphys/diagnosis';
import type { RpcError } from './rpc-error.ts';

/** Evidence that is reported with a refusal; what else was seen may concern what the caller may not see. */
const told = new Set(['found', 'wanted']);
/** Trailers are headers: proxies take a few KiB of them, so that what is longer goes without. */
const longest = 3_000;

/** The diagnoses behind a refusal as they are sent: code, cause, message, place, what was found and wanted, remedies. None without. */
export function errorDetails(error: RpcError): JsonObject[] {
  const helpful = error.diagnoses.filter(({ remedies }) => remedies.length > 0);
  return helpful.map(detail).filter((json) => JSON.stringify(json).length <= longest);
}

function detail({ code, cause, message, place, evidence, remedies }: Diagnosis): JsonObject {
  const seen = evidence.filter(({ name }) => told.has(name)).map(({ name, value }) => ({ name, value }));
  return {
    code,
    cause,
    message,
    ...(place ? { place: { ...place } } : {}),
    ...(seen.length > 0 ? { evidence: seen } : {}),
    remedies: remedies.map((remedy) => ({ ...remedy })),
  };
}

/** The same as details of a gRPC status: each a `google.protobuf.Struct`, which every client can read. */
export function grpcDetails(error: RpcError) {
  return errorDetails(error).map((value) => ({ desc: StructSchema, value: fromJson(StructSchema, value) }));
}

/** The same in JSON as a gateway writes them. */
export function restDetails(error: RpcError): JsonObject[] {
  return errorDetails(error).map((value) => ({ '@type': 'type.googleapis.com/google.protobuf.Struct', value }));
}
