import type { SigningRequest } from '@tiphys/pki';

/** The state of a request as tables show it: decided, failed, issued. */
export function requestState({ status }: Pick<SigningRequest, 'status'>): string {
  const has = (wanted: string) => status?.conditions?.some(({ type }) => type === wanted) ?? false;
  const decided = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  return `${decided}${has('Failed') ? ',Failed' : ''}${status?.certificate ? ',Issued' : ''}`;
}
