import type { DiagnosisError } from '@tiphys/diagnosis';
import { accessRefused, targetMissing } from '../trouble/diagnoses.ts';

/** How often clients of Azure try by themselves: what lasts longer is reported, and tried again by who called. */
export const azureRetries = { maxRetries: 2, retryDelayInMs: 500, timeoutInMs: 20_000 };

/** Who is asked for what; told when it fails. */
export interface AzureTarget {
  readonly system: 'Event Hubs' | 'Service Bus' | 'Queue Storage';
  /** Such as `queue orders`. */
  readonly entity: string;
  readonly host: string;
  /** The claim that is needed, such as `Listen`. */
  readonly claim: string;
}

/** The host of a connection string, as it is written there. Throws if it has none. */
export function hostOf(connectionString: string): string {
  const host = /(?:^|;)\s*Endpoint=sb:\/\/([^/;]+)/i.exec(connectionString)?.[1];
  if (host === undefined)
    throw new Error(
      'the connection string has no Endpoint=sb://HOST/; copy it from the shared access policies of the namespace',
    );
  return host;
}

const refused = [
  'UnauthorizedError',
  'UnauthorizedAccess',
  'InvalidSignature',
  'AuthenticationFailed',
  'AuthorizationFailure',
];
const missing = ['MessagingEntityNotFoundError', 'MessagingEntityNotFound', 'QueueNotFound'];

/** What a client of Azure threw, with its cause where that is known: credentials that are refused, and what does not exist. */
export function azureFailure(error: unknown, { system, entity, host, claim }: AzureTarget): DiagnosisError | Error {
  const found = lastOf(error);
  // over HTTP an answer may have a code in its header alone, or none
  const { name, statusCode, code, details } = found as AzureError;
  const known = code || details?.errorCode || '';
  const reason = found.message || known || (statusCode ? `it answers ${statusCode}` : name);
  if (
    [401, 403].includes(statusCode ?? 0) ||
    refused.includes(known) ||
    name === 'CredentialUnavailableError' ||
    name === 'AggregateAuthenticationError'
  )
    return accessRefused({
      system: `${system} at ${host}`,
      target: entity,
      reason,
      remedy: `Correct the key in the Secret, or give its shared access policy, or the identity of the process, the claim ${claim} on ${entity}`,
    });
  if (missing.includes(known))
    return targetMissing({
      system: `${system} at ${host}`,
      target: entity,
      reason,
      remedy: `Create the ${entity}, or correct its name`,
    });
  return reason === found.message ? found : new Error(reason, { cause: found });
}

interface AzureError extends Error {
  readonly code?: string;
  readonly statusCode?: number;
  readonly details?: { readonly errorCode?: string };
}

/** The last of the errors that tries ended with. */
function lastOf(error: unknown): Error {
  if (error instanceof AggregateError && error.name !== 'AggregateAuthenticationError' && error.errors.length > 0)
    return lastOf(error.errors.at(-1));
  return error instanceof Error ? error : new Error(String(error));
}
