import { createHash } from 'node:crypto';

/** How a Helm repository or an OCI registry is reached. */
export interface Access {
  readonly username?: string;
  readonly password?: string;
  /** A refresh token that the registry's token service takes in place of a password. */
  readonly identityToken?: string;
  /** Credentials of a Helm repository go to whatever host its index names, too. */
  readonly passCredentials?: boolean;
  /** PEM of the only authorities that are believed; those of the system if absent. */
  readonly ca?: string;
  /** PEM of the client certificate and its key. */
  readonly cert?: string;
  readonly key?: string;
  /** Certificates are not verified. */
  readonly insecure?: boolean;
  /** OCI only: `http` in place of `https`. */
  readonly plainHttp?: boolean;
  /** `http://` or `https://`; that of the environment if absent. */
  readonly proxy?: string;
  /** Comma-separated hosts that are reached without proxy. */
  readonly noProxy?: string;
  /** Name of the Secret or file that the credentials come from, for diagnoses. */
  readonly from?: string;
}

/** Two accesses with the same key are the same; nothing can be learnt from the key. */
export function accessKey(access: Access): string {
  const { from: _, ...rest } = access;
  return createHash('sha256')
    .update(JSON.stringify(Object.entries(rest).sort()))
    .digest('hex')
    .slice(0, 24);
}

/** Who asked, for evidence: never the secret itself. */
export function describeAccess({ username, password, identityToken, cert, from }: Access): string {
  const source = from ? ` from ${from}` : '';
  if (identityToken) return `identity token${source}`;
  if (username || password) return `user "${username ?? ''}"${password ? '' : ' without password'}${source}`;
  if (cert) return `TLS client certificate${source}`;
  return 'none';
}

/** The value of an `Authorization` header; empty without a user name and a password. */
export function basicAuthorization({ username, password }: Access): string {
  if (!username || !password) return '';
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
