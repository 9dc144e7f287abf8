import { RE2JS } from 're2js';

/** Beginnings and parts of messages that mean that the same thing may work a moment later. */
const patterns = [
  'exceeded quota',
  'Operation cannot be fulfilled on resourcequota',
  'resource quota evaluation timed out',
  'net/http: TLS handshake timeout',
  'i/o timeout',
  'connection reset by peer',
  'connection refused',
  'connection timed out',
  'no route to host',
  'http2: client connection lost',
  'http2: server sent GOAWAY',
  'unexpected EOF',
  'use of closed network connection',
  'etcdserver: leader changed',
  'etcdserver: request timed out',
  'the server is currently unable to handle the request',
  'Too Many Requests',
  'client rate limiter Wait returned an error',
];

/** True if a message tells of a passing trouble, by what is known of Kubernetes or by the installation's own pattern. */
export function isTransientMessage(message: string, pattern?: string): boolean {
  if (patterns.some((known) => message.includes(known))) return true;
  if (!pattern) return false;
  return RE2JS.compile(pattern).matcher(message).find();
}
