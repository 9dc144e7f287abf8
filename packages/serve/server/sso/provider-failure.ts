import { type DiagnosisError, failure } from '@tiphys/diagnosis';
import { providerUnreachable } from './diagnoses.ts';

/** Why a token is not accepted; fit for anyone who presented it. */
export class TokenRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TokenRefused';
  }
}

/** The object that an address answered with. */
export function parseObject(text: string, url: string, issuer: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch (error) {
    throw unreachable(issuer, `${url} answered with something that is not JSON`, error);
  }
  throw unreachable(issuer, `${url} answered with something that is not an object`);
}

/** Whether no answer came, rather than one that was wrong. */
export function isNetwork(error: unknown): boolean {
  return (
    error instanceof Error && (error.name === 'TypeError' || (error.cause !== undefined && isNetwork(error.cause)))
  );
}

/** The innermost reason: clients wrap what the socket said. */
export function causeText(error: unknown): string {
  let inner = error;
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause;
  if (inner instanceof AggregateError && inner.errors[0] instanceof Error) inner = inner.errors[0];
  // what follows a semicolon is Node's advice to programmers
  return (inner instanceof Error ? inner.message : String(inner)).split(';')[0] as string;
}

/** The diagnosis of a provider that does not answer, or not as one does. */
export function unreachable(issuer: string, reason: string, cause?: unknown): DiagnosisError {
  const certificate = /certificate|self.signed|altnames|CERT_/i.test(reason);
  return failure(
    providerUnreachable,
    {
      message: `failed to query provider "${issuer}": ${reason}`,
      place: { remote: issuer },
      remedies: [
        certificate
          ? 'Put the authority of the provider’s certificate into rootCA of oidc.config'
          : 'Check that this server can reach the issuer of oidc.config; local accounts can log in meanwhile',
      ],
    },
    { handling: 'retryable', cause },
  );
}
