import { PassThrough } from 'node:stream';
import type { WebSocket } from 'ws';
import type { PodTerminal, PodTerminalOptions, PodTerminalOutcome } from './client.ts';

/** Newest first; v5 can close stdin, which a terminal never needs. */
export const execProtocols: readonly string[] = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];

/** The first byte of each message. */
const channel = { stdin: 0, stdout: 1, error: 3, resize: 4 } as const;

/** Path and query of a command at a terminal. */
export function execPath(
  { namespace, name }: { namespace: string; name: string },
  { container, command }: Pick<PodTerminalOptions, 'container' | 'command'>,
): string {
  const query = new URLSearchParams({ container, stdin: 'true', stdout: 'true', tty: 'true' });
  for (const word of command) query.append('command', word);
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/exec?${query}`;
}

/** Speaks the channel protocol over an open socket until either side ends it. */
export function podTerminal(socket: WebSocket): PodTerminal {
  const output = new PassThrough();
  let outcome: PodTerminalOutcome = { message: 'The connection to the API server broke' };
  socket.on('message', (data: Buffer) => {
    if (data[0] === channel.error) outcome = outcomeOf(data.subarray(1).toString('utf8'));
    if (data[0] !== channel.stdout || data.length < 2) return;
    if (output.write(data.subarray(1))) return;
    socket.pause();
    output.once('drain', () => socket.resume());
  });
  socket.on('error', (error) => {
    outcome = { message: `The connection to the API server broke: ${error.message}` };
    socket.terminate();
  });
  const ended = new Promise<PodTerminalOutcome>((resolve) =>
    socket.once('close', () => {
      output.end();
      resolve(outcome);
    }),
  );
  const send = (kind: number, data: Uint8Array) => {
    if (socket.readyState === socket.OPEN) socket.send(Buffer.concat([Buffer.of(kind), data]));
  };
  return {
    output,
    ended,
    write: (data) => send(channel.stdin, data),
    resize: ({ columns, rows }) => send(channel.resize, Buffer.from(JSON.stringify({ Width: columns, Height: rows }))),
    close: () => socket.terminate(),
  };
}

interface ExecStatus {
  status?: string;
  reason?: string;
  message?: string;
  details?: { causes?: { reason?: string; message?: string }[] };
}

function outcomeOf(text: string): PodTerminalOutcome {
  let status: ExecStatus;
  try {
    status = JSON.parse(text) as ExecStatus;
  } catch {
    // v4 servers may write plain text about what they could not do
    return { message: text };
  }
  if (status.status === 'Success') return { exitCode: 0, message: '' };
  const code = status.details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message;
  const message = status.message ?? status.reason ?? 'The command failed';
  return code === undefined ? { message } : { exitCode: Number(code), message };
}
