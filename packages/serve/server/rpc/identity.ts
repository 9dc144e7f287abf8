/** Who a valid token speaks for. */
export interface Identity {
  /** Local account, `proj:PROJECT:ROLE`, or the user name of the identity provider; what RBAC sees. */
  readonly subject: string;
  /** What people call a user of the identity provider: the mail address if there is one; absent: the subject. */
  readonly name?: string;
  readonly issuer: string;
  readonly groups: readonly string[];
  /** Seconds since the epoch; 0 if unknown. */
  readonly issuedAt: number;
  /** Seconds since the epoch; undefined for tokens that do not expire. */
  readonly expiresAt: number | undefined;
  /** `jti` */
  readonly id: string;
  /** The account may log in, or this is an API key. */
  readonly capability: 'login' | 'apiKey';
}

/** The project and role that a subject `proj:PROJECT:ROLE` names. */
export function projectRoleOf(subject: string): { project: string; role: string } | undefined {
  const parts = subject.split(':');
  const [kind, project, role] = parts;
  return parts.length === 3 && kind === 'proj' && project !== undefined && role !== undefined
    ? { project, role }
    : undefined;
}
