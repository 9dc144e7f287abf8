import { Agent, EnvHttpProxyAgent, type RequestInit, fetch as undiciFetch } from 'undici';

export interface ProviderFetchOptions {
  /** PEM; those of the system if absent. */
  readonly rootCa?: string | undefined;
  /** Goes on with certificates that are not accepted. */
  readonly insecure: boolean;
  /** Addresses that begin with `from` begin with `to` instead; `isInside`: what is there is reached without a proxy. */
  readonly rewrite?: { readonly from: string; readonly to: string; readonly isInside: boolean } | undefined;
  /** Told of the provider's clock with each answer, in milliseconds since the epoch. */
  readonly onDate?: (date: number) => void;
}

/** Answers of a provider are small; more is cut off with an error. */
const maxBody = 2 * 1024 * 1024;
const timeout = 15_000;

/**
 * `fetch` for one identity provider: its authorities, proxies of the environment, no redirects, at most 15 s and 2 MiB.
 * `close` ends its connections.
 */
export function providerFetch(options: ProviderFetchOptions): {
  fetch: (url: string, init?: object) => Promise<Response>;
  close(): Promise<void>;
} {
  const connect = {
    timeout: 10_000,
    rejectUnauthorized: !options.insecure,
    ...(options.rootCa ? { ca: options.rootCa } : {}),
  };
  const dispatcher = options.rewrite?.isInside
    ? new Agent({ connect })
    : new EnvHttpProxyAgent({ connect, requestTls: connect });
  return {
    async fetch(url, init = {}) {
      const { signal } = init as { signal?: AbortSignal };
      const answer = await undiciFetch(rewritten(url, options.rewrite), {
        ...init,
        redirect: 'manual',
        dispatcher,
        signal: AbortSignal.any([AbortSignal.timeout(timeout), ...(signal ? [signal] : [])]),
      } as RequestInit);
      const date = Date.parse(answer.headers.get('date') ?? '');
      if (!Number.isNaN(date)) options.onDate?.(date);
      const chunks: Uint8Array[] = [];
      let size = 0;
      for await (const chunk of answer.body ?? []) {
        size += chunk.length;
        if (size > maxBody) throw new Error(`the answer of ${new URL(url).host} is larger than ${maxBody} bytes`);
        chunks.push(chunk);
      }
      const body = Buffer.concat(chunks);
      const response = new Response(body.length > 0 ? body : null, {
        status: answer.status,
        headers: [...answer.headers].filter(([name]) => name !== 'content-encoding' && name !== 'content-length'),
      });
      Object.defineProperty(response, 'url', { value: url });
      return response;
    },
    close: () => dispatcher.close(),
  };
}

function rewritten(url: string, rewrite: ProviderFetchOptions['rewrite']): string {
  if (!rewrite || !url.startsWith(rewrite.from)) return url;
  return `${rewrite.to}${url.slice(rewrite.from.length)}`;
}
