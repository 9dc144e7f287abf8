import { createPrivateKey } from 'node:crypto';
import { type DiagnosisError, defineDiagnosis, failure } from '@tiphys/diagnosis';
import { accessRefused, targetMissing } from '../trouble/diagnoses.ts';

const notUsable = defineDiagnosis(
  'GoogleCredentialsInvalid',
  'The Secret that an EventSource names has no key of a Google service account',
);

/** A key of a service account: no other kind of credentials, which could name files, programs and addresses. */
export interface GoogleKey {
  readonly client_email: string;
  readonly private_key: string;
  readonly project_id?: string;
  /** `googleapis.com` if absent. */
  readonly universe_domain?: string;
}

/** Reads the JSON of a service account's key. Throws `GoogleCredentialsInvalid` if it is another kind of credentials, or none. */
export function googleKey(text: string): GoogleKey {
  const key = objectOf(text);
  const { type, client_email, private_key, project_id, universe_domain } = key;
  if (type !== 'service_account')
    throw refused(
      `its type is ${typeof type === 'string' ? JSON.stringify(type) : 'missing'}, wanted "service_account"`,
    );
  if (typeof client_email !== 'string' || client_email === '') throw refused('client_email is missing');
  if (typeof private_key !== 'string' || !isKey(private_key)) throw refused('private_key is no private key in PEM');
  if (universe_domain !== undefined && !(typeof universe_domain === 'string' && /^[a-z0-9.-]+$/.test(universe_domain)))
    throw refused('universe_domain is no domain');
  return {
    client_email,
    private_key,
    ...(typeof universe_domain === 'string' ? { universe_domain } : {}),
    ...(typeof project_id === 'string' ? { project_id } : {}),
  };
}

function objectOf(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // what the parser says quotes the text, which is secret
    throw refused('it is no JSON');
  }
  if (typeof value !== 'object' || value === null) throw refused('it is no JSON object');
  return value as Record<string, unknown>;
}

function isKey(text: string): boolean {
  try {
    createPrivateKey(text);
    return true;
  } catch {
    return false;
  }
}

function refused(reason: string): DiagnosisError {
  return failure(notUsable, {
    message: `The key that credentialSecret names cannot be used: ${reason}`,
    place: { field: 'credentialSecret' },
    remedies: [
      'Put the JSON file of a service account key there, as `gcloud iam service-accounts keys create` writes it; for another identity leave credentialSecret out and give it to the process',
    ],
  });
}

/** What is asked for; told when it fails. */
export interface GoogleTarget {
  /** Such as `subscription projects/p/subscriptions/s`. */
  readonly entity: string;
  readonly host: string;
  readonly permission: string;
}

/** Codes of gRPC. */
export const googleCodes = {
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  unimplemented: 12,
  unauthenticated: 16,
};

/** The code of gRPC that a client of Google threw; undefined if it is none. */
export function googleCode(error: unknown): number | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'number' ? code : undefined;
}

/** What a client of Google threw, with its cause where that is known. */
export function googleFailure(error: unknown, { entity, host, permission }: GoogleTarget): unknown {
  const code = googleCode(error);
  const reason = String((error as { details?: unknown }).details || (error as Error).message);
  const system = `Pub/Sub at ${host}`;
  if (code === googleCodes.permissionDenied || code === googleCodes.unauthenticated)
    return accessRefused({
      system,
      target: entity,
      reason,
      remedy: `Give the service account of credentialSecret, or of the process, the permission ${permission} on ${entity}`,
    });
  if (code === googleCodes.notFound)
    return targetMissing({ system, target: entity, reason, remedy: `Create the ${entity}, or correct its name` });
  return error;
}
