import { Code, RpcError } from '@tiphys/server';
import type { ArchiveFilter } from '@tiphys/workflow-database';

/** ListOptions of Kubernetes as they come in. */
export interface WireListOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
}

export interface ListRequest {
  readonly namespace?: string;
  readonly listOptions?: WireListOptions;
  readonly nameFilter?: string;
  readonly namePrefix?: string;
  readonly createdAfter?: string;
  readonly finishedBefore?: string;
}

export interface FlowFilter extends ArchiveFilter {
  readonly limit: number;
  readonly continue: string;
  readonly showsRemaining: boolean;
}

/** What a list is asked for. The field selector knows what upstream's knows. Throws InvalidArgument. */
export function filterOf(request: ListRequest): FlowFilter {
  const { listOptions = {}, nameFilter } = request;
  const found: Record<string, string> = {};
  let showsRemaining = false;
  let excluded = false;
  for (const term of (listOptions.fieldSelector ?? '').split(',').filter(Boolean)) {
    const { field, sign, value } = partsOf(term);
    if (field === 'metadata.namespace') {
      if (sign === '!=') {
        found.excludedNamespace = value;
        excluded = true;
      } else if (request.namespace && request.namespace !== value)
        throw invalid(
          `'namespace' query param ("${request.namespace}") and fieldselector 'metadata.namespace' ("${value}") are both specified and contradict each other`,
        );
      else found.namespace = value;
    } else if (field === 'metadata.name') {
      found.name = value;
      if (sign === '!=') found.nameFilter = 'NotEquals';
    } else if (field === 'spec.startedAt' && sign === '>') found.minStartedAt = time(value);
    else if (field === 'spec.startedAt' && sign === '<') found.maxStartedAt = time(value);
    else if (field === 'ext.showRemainingItemCount') showsRemaining = value === 'true';
    else throw invalid(`unsupported requirement ${term}`);
  }
  return {
    ...(request.namespace && !excluded ? { namespace: request.namespace } : {}),
    ...(nameFilter ? { nameFilter: nameFilter as NonNullable<ArchiveFilter['nameFilter']> } : {}),
    ...found,
    ...(request.namePrefix ? { namePrefix: request.namePrefix } : {}),
    ...(request.createdAfter ? { createdAfter: time(request.createdAfter) } : {}),
    ...(request.finishedBefore ? { finishedBefore: time(request.finishedBefore) } : {}),
    ...(listOptions.labelSelector ? { labelSelector: listOptions.labelSelector } : {}),
    limit: Number(listOptions.limit ?? 0),
    continue: listOptions.continue ?? '',
    showsRemaining,
  };
}

function partsOf(term: string): { field: string; sign: string; value: string } {
  const at = term.search(/[!=<>]/);
  if (at < 1) throw invalid(`unsupported requirement ${term}`);
  const rest = term.slice(at);
  const sign = ['!=', '==', '=', '>', '<'].find((each) => rest.startsWith(each)) ?? '=';
  return { field: term.slice(0, at), sign, value: rest.slice(sign.length) };
}

function time(text: string): string {
  if (Number.isNaN(Date.parse(text))) throw invalid(`"${text}" is no time as RFC 3339 has it`);
  return text;
}

function invalid(message: string): RpcError {
  return new RpcError(Code.InvalidArgument, message);
}
