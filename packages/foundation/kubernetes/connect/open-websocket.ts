import { once } from 'node:events';
import { Agent as HttpAgent, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { WebSocket } from 'ws';
import type { ClusterConfig } from './client.ts';
import type { Credential } from './credentials.ts';
import { tlsOptions } from './tls-options.ts';

/** How long the API server may take to agree, in milliseconds. */
const handshakeTimeout = 30_000;

export interface WebSocketRequest {
  /** Absolute, with http or https. */
  readonly url: string;
  readonly headers: Record<string, string | string[]>;
  readonly protocols: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/** An open WebSocket, or the status and the text with which the server refused; throws what broke the connection. */
export async function openWebSocket(
  config: ClusterConfig,
  credential: Credential,
  { url, headers, protocols, signal }: WebSocketRequest,
): Promise<WebSocket | { status: number; text: string }> {
  // few programs open one, and all would load it
  const { WebSocket } = await import('ws');
  signal?.throwIfAborted();
  const { proxyUrl } = config;
  const proxyEnv = proxyUrl ? { HTTP_PROXY: proxyUrl, HTTPS_PROXY: proxyUrl } : {};
  const secure = url.startsWith('https:');
  const socket = new WebSocket(url.replace(/^http/, 'ws'), [...protocols], {
    headers: credential.authorization ? { authorization: credential.authorization, ...headers } : headers,
    perMessageDeflate: false,
    handshakeTimeout,
    ...(secure ? tlsOptions(config, credential) : {}),
    ...(proxyUrl ? { agent: secure ? new HttpsAgent({ proxyEnv }) : new HttpAgent({ proxyEnv }) } : {}),
  });
  const giveUp = () => socket.terminate();
  signal?.addEventListener('abort', giveUp, { once: true });
  try {
    const refused = new Promise<IncomingMessage>((resolve) =>
      socket.once('unexpected-response', (_request, answer) => resolve(answer)),
    );
    // `once` throws what comes as the event `error`
    const answer = await Promise.race([once(socket, 'open'), refused]);
    if (Array.isArray(answer)) return socket;
    let text = '';
    for await (const chunk of answer) text += String(chunk);
    return { status: answer.statusCode ?? 500, text };
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', giveUp);
  }
}
