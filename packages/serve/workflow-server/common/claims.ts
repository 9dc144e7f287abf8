import type { Claims } from './caller.ts';

/** What a token says, and what the cluster knows of who has it. A token that is no JWT says nothing. */
export function claimsOfToken(
  authorization: string,
  known: { username?: string; groups?: string[] } | undefined,
): Claims | undefined {
  const payload = payloadOf(authorization.replace(/^Bearer /, '').trim());
  const subject = text(payload?.sub) ?? known?.username;
  if (!subject) return undefined;
  const account = /^system:serviceaccount:([^:]+):(.+)$/.exec(subject);
  const groups = strings(payload?.groups) ?? known?.groups;
  return {
    subject,
    ...defined({
      issuer: text(payload?.iss),
      groups,
      email: text(payload?.email),
      emailVerified: payload?.email_verified === true || payload?.email_verified === 'true' || undefined,
      name: text(payload?.name),
      preferredUsername: text(payload?.preferred_username),
      serviceAccountNamespace: account?.[1],
      serviceAccountName: account?.[2],
    }),
  };
}

function payloadOf(token: string): Readonly<Record<string, unknown>> | undefined {
  const parts = token.split('.');
  if (parts.length !== 3) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(parts[1] ?? '', 'base64url').toString('utf8'));
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : undefined;
  } catch (error) {
    // the cluster took it, so it is a token, though of another kind
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value ? value : undefined;
}

function strings(value: unknown): string[] | undefined {
  return Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : undefined;
}

function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
