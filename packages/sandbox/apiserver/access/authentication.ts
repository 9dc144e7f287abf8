import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { ISSUER, type ServerContext, StatusError, type User } from '@tiphys/apimachinery';
import { judgeToken } from './service-account-user.ts';

const ANONYMOUS: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

export interface Authenticator {
  readonly server: ServerContext;
  readonly adminToken: string;
  /** Told what the answer has to warn of. */
  readonly warn: (text: string) => void;
}

/** Tells who asks, by bearer token or client certificate; anonymous without either, 401 for a token that is not valid. */
export function authenticate(request: IncomingMessage, { server, adminToken, warn }: Authenticator): User {
  const token = /^\s*Bearer\s+(\S+)/i.exec(request.headers.authorization ?? '')?.[1];
  if (token === undefined) return certificateUser(request) ?? ANONYMOUS;
  if (equal(token, adminToken)) return { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
  const verdict = judgeToken(token, server, [ISSUER], warn);
  if ('problem' in verdict) throw new StatusError(401, 'Unauthorized', 'Unauthorized');
  return verdict.user;
}

function certificateUser(request: IncomingMessage): User | undefined {
  const socket = request.socket as TLSSocket;
  if (!socket.authorized) return undefined;
  const { subject } = socket.getPeerCertificate();
  if (!subject?.CN) return undefined;
  const organizations = [subject.O ?? []].flat();
  return { name: [subject.CN].flat()[0] as string, groups: [...organizations, 'system:authenticated'] };
}

const IDENTITY = 'authentication.k8s.io/v1';

/** Headers that make no identity: the one refusal that is reported in plain text. */
export class ImpersonationError extends Error {}

/** The identity that impersonation headers ask for, if they do. */
export function impersonated(request: IncomingMessage): User | undefined {
  const { headers } = request;
  const name = headers['impersonate-user'];
  const groups = wantedGroups(request);
  const extra: Record<string, string[]> = {};
  for (const header of Object.keys(headers))
    if (header.startsWith('impersonate-extra-'))
      extra[decodeURIComponent(header.slice('impersonate-extra-'.length))] = valuesOf(request, header);
  const uid = headers['impersonate-uid'];
  if (typeof name !== 'string' || !name) {
    const wanted = [
      ...groups.map((group) => `{Group  ${group}    }`),
      ...Object.entries(extra).flatMap(([key, values]) =>
        values.map((value) => `{UserExtra  ${value}  ${IDENTITY}  ${key}}`),
      ),
      ...(uid === undefined ? [] : [`{UID  ${String(uid)}  ${IDENTITY}  }`]),
    ];
    if (wanted.length) throw new ImpersonationError(`requested [${wanted.join(' ')}] without impersonating a user`);
    return undefined;
  }
  const account = /^system:serviceaccount:([^:]+):[^:]+$/.exec(name);
  const implied = account && !groups.length ? ['system:serviceaccounts', `system:serviceaccounts:${account[1]}`] : [];
  const all = [...groups, ...implied];
  if (name !== ANONYMOUS.name && !all.includes('system:authenticated')) all.push('system:authenticated');
  return {
    name,
    groups: all,
    ...(typeof uid === 'string' ? { uid } : {}),
    ...(Object.keys(extra).length ? { extra } : {}),
  };
}

/** The groups that impersonation headers name. */
export function wantedGroups(request: IncomingMessage): string[] {
  return valuesOf(request, 'impersonate-group');
}

/** Each of a header that may be repeated: a name may have commas, with which Node joins them in `headers`. */
function valuesOf({ rawHeaders }: IncomingMessage, header: string): string[] {
  return rawHeaders.filter((_, index) => index % 2 && rawHeaders[index - 1]?.toLowerCase() === header);
}

function equal(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
