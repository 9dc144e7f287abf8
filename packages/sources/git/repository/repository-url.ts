import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { failure, redact } from '@tiphys/diagnosis';
import { invalidRepositoryUrl } from './diagnoses.ts';

export type Transport = 'local' | 'http' | 'https' | 'ssh' | 'git';

/** A repository URL that is safe to hand to git, taken apart. */
export interface RepositoryUrl {
  readonly transport: Transport;
  /** What git is given: without user information for http(s); an absolute path for local. */
  readonly remote: string;
  /** For people: never has credentials. */
  readonly display: string;
  /** Empty for local. */
  readonly host: string;
  /** Port as written, or the scheme's. */
  readonly port: number;
  /** From the URL itself; credentials that are given apart win. */
  readonly username?: string;
  readonly password?: string;
}

const hostPattern = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.%]+\])$/;
const userPattern = /^[A-Za-z0-9_][A-Za-z0-9._+@-]*$/;
const ports: Record<string, number> = { 'http:': 80, 'https:': 443, 'ssh:': 22, 'git:': 9418 };

/**
 * Reads `https://…`, `http://…`, `ssh://…`, `user@host:path`, `git://…`, `file://…` and absolute paths.
 * Throws a diagnosis for everything that could mislead git, ssh or a credential helper
 * (CVE-2020-5260, CVE-2026-55797): control characters, encoded newlines, leading dashes, odd hosts, remote helpers.
 */
export function parseRepositoryUrl(url: string): RepositoryUrl {
  const text = url.trim();
  if (text === '') throw refuse(url, 'it is empty');
  if (text.length > 2048) throw refuse(`${text.slice(0, 60)}…`, 'it is longer than 2048 characters');
  // Raw or percent-encoded: NUL, line feed, carriage return and the like.
  if (/[\u0000-\u001f\u007f]/.test(text) || /%(?:0[0-9a-f]|1[0-9a-f]|7f)/i.test(text))
    throw refuse(url, 'it has a control character');
  if (text.startsWith('-')) throw refuse(url, 'it starts with a dash');
  if (isAbsolute(text)) return local(text);
  if (/^[A-Za-z][A-Za-z0-9+.-]*::/.test(text)) throw refuse(url, 'remote helpers are not allowed');
  if (/^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(text)) return withScheme(text);
  return scpLike(text);
}

/** For comparisons: two spellings of one repository give the same text. Follows Argo CD's rule. */
export function normalizeRepositoryUrl(url: string): string {
  let text = url.trim().toLowerCase();
  if (/^(ssh:\/\/)?[^/:]*@[^@]+$/.test(text) && !text.startsWith('ssh://')) text = `ssh://${text.replace(':', '/')}`;
  return text.replace(/\.git$/, '').replace(/^ssh:\/\//, '');
}

function local(path: string): RepositoryUrl {
  const remote = resolve(path);
  return { transport: 'local', remote, display: remote, host: '', port: 0 };
}

function withScheme(text: string): RepositoryUrl {
  let parsed: URL;
  try {
    parsed = new URL(text);
  } catch {
    throw refuse(text, 'it is not a URL');
  }
  if (parsed.protocol === 'file:') {
    if (parsed.host !== '' && parsed.host !== 'localhost') throw refuse(text, 'a file URL has no host');
    return local(fileURLToPath(`file://${parsed.pathname}`));
  }
  // The URL parser forgives a missing host by taking the path for it.
  if (/^[a-z+.-]+:\/\/(?:[/?#]|$)/i.test(text)) throw refuse(text, 'it has no host');
  const port = ports[parsed.protocol];
  if (port === undefined) throw refuse(text, `the scheme ${parsed.protocol.slice(0, -1)} is not supported`);
  const transport = parsed.protocol.slice(0, -1) as Transport;
  const host = parsed.hostname;
  if (!hostPattern.test(host)) throw refuse(text, 'its host is not a host name or address');
  if (parsed.hash !== '') throw refuse(text, 'it has a fragment');
  const username = decodeURIComponent(parsed.username);
  if (/[\r\n\0]/.test(username + decodeURIComponent(parsed.password))) throw refuse(text, 'it has a control character');
  if (transport === 'ssh') return ssh(text, parsed, username);
  const path = `${parsed.pathname}${parsed.search}`;
  const remote = `${parsed.protocol}//${parsed.host}${path}`;
  return {
    transport,
    remote,
    display: `${parsed.protocol}//${parsed.host}${parsed.pathname}`,
    host: host.replace(/^\[|\]$/g, ''),
    port: parsed.port ? Number(parsed.port) : port,
    ...(username ? { username } : {}),
    ...(parsed.password ? { password: decodeURIComponent(parsed.password) } : {}),
  };
}

function ssh(text: string, parsed: URL, username: string): RepositoryUrl {
  if (username && !userPattern.test(username)) throw refuse(text, 'its user name has characters that are not allowed');
  if (parsed.password) throw refuse(text, 'SSH takes no password: use a private key');
  if (decodeURIComponent(parsed.pathname).startsWith('/-')) throw refuse(text, 'its path starts with a dash');
  const remote = `ssh://${username ? `${username}@` : ''}${parsed.host}${parsed.pathname}`;
  return {
    transport: 'ssh',
    remote,
    display: remote,
    host: parsed.hostname.replace(/^\[|\]$/g, ''),
    port: parsed.port ? Number(parsed.port) : 22,
    ...(username ? { username } : {}),
  };
}

function scpLike(text: string): RepositoryUrl {
  const match = /^([^@/:]+)@(\[[^\]]+\]|[^@/:[\]]+):(.+)$/.exec(text);
  if (!match) throw refuse(text, 'it is neither a URL, nor an absolute path, nor user@host:path');
  const [, username = '', host = '', path = ''] = match;
  if (username && !userPattern.test(username)) throw refuse(text, 'its user name has characters that are not allowed');
  if (!hostPattern.test(host)) throw refuse(text, 'its host is not a host name or address');
  if (path.startsWith('-')) throw refuse(text, 'its path starts with a dash');
  return {
    transport: 'ssh',
    remote: text,
    display: text,
    host: host.replace(/^\[|\]$/g, ''),
    port: 22,
    ...(username ? { username } : {}),
  };
}

function refuse(url: string, why: string) {
  const shown = redact(url).replace(/[\u0000-\u001f\u007f]/g, '?');
  return failure(invalidRepositoryUrl, {
    message: `The repository URL "${shown}" is refused: ${why}`,
    remedies: [
      'Use https://host/path, ssh://user@host/path, user@host:path, or an absolute path or file:// URL of a local repository',
    ],
  });
}
