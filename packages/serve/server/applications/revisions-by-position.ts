import { Code, RpcError } from '../rpc/rpc-error.ts';

/** One revision a source, of a request that names them by position, from 1; empty for those that it does not name. */
export function revisionsByPosition(
  count: number,
  request: {
    readonly sourcePositions?: readonly number[] | undefined;
    readonly revisions?: readonly string[] | undefined;
  },
): string[] {
  const wanted = Array.from({ length: count }, () => '');
  for (const [index, position] of (request.sourcePositions ?? []).entries()) {
    if (!(position > 0 && position <= count)) throw new RpcError(Code.Unknown, 'source position is out of range');
    wanted[position - 1] = request.revisions?.[index] ?? '';
  }
  return wanted;
}
