/** Where on its way a request failed. */
type Hop = 'DNS' | 'TCP' | 'TLS' | 'HTTP';

interface Sent {
  readonly method: string;
  /** That was asked last. */
  readonly url: string;
  /** That the template names. */
  readonly first: string;
}

/** The error of a request that got no answer, as a sentence that names the hop and what was met there. */
export function requestFailure(error: unknown, { method, url, first }: Sent): Error {
  const { code = '', message, name } = innermost(error);
  const { host, hostname } = new URL(url);
  const [hop, what] = whatFailed({ code, name, message }, { host, hostname });
  const way = url === first ? '' : `, where ${shown(first)} redirects to`;
  const detail = code && !what.includes(code) ? ` (${code})` : '';
  return new Error(`${method} ${shown(url)}${way} got no answer (${hop}): ${what}${detail}`, { cause: error });
}

function whatFailed(
  { code, name, message }: { code: string; name: string; message: string },
  { host, hostname }: { host: string; hostname: string },
): [Hop, string] {
  if (name === 'TimeoutError') return ['HTTP', `${host} did not answer within timeoutSeconds of the template`];
  switch (code) {
    case 'ENOTFOUND':
      return ['DNS', `there is no host ${hostname}`];
    case 'EAI_AGAIN':
      return ['DNS', `the name service gives no answer for ${hostname}`];
    case 'ECONNREFUSED':
      return ['TCP', `nothing listens at ${host}`];
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return ['TCP', `no route leads to ${host}`];
    case 'ETIMEDOUT':
    case 'UND_ERR_CONNECT_TIMEOUT':
      return ['TCP', `${host} does not answer: it is down, or a firewall drops what is sent to it`];
    case 'EPROTO':
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
      return ['TLS', `${host} speaks no TLS`];
    case 'ECONNRESET':
    case 'UND_ERR_SOCKET':
      return ['HTTP', `${host} closed the connection before its answer`];
    case 'UND_ERR_HEADERS_TIMEOUT':
    case 'UND_ERR_BODY_TIMEOUT':
      return ['HTTP', `${host} took the request and does not answer`];
    default:
      return [/CERT|SELF_SIGNED|ERR_SSL|ERR_TLS|UNABLE_TO/.test(code) ? 'TLS' : 'HTTP', message];
  }
}

/** Without what may be secret. */
function shown(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

type Failed = Error & { readonly code?: string; readonly errors?: readonly unknown[] };

/** The error that says most: that of the socket below those of the client. */
function innermost(error: unknown): Failed {
  const { cause, errors } = error as Failed;
  const inner = errors?.[0] ?? cause;
  return inner instanceof Error ? innermost(inner) : (error as Failed);
}
