/**
 * What ssh runs to reach a host through a proxy: `node ssh-proxy-command.ts HOST PORT`, the proxy's URL in TIPHYS_SSH_PROXY. Speaks
 * SOCKS 4a and 5 and HTTP CONNECT, then joins the connection with its own input and output. No shell ever sees the URL.
 */
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

const [host = '', portText = ''] = process.argv.slice(2);
const port = Number(portText);
const proxy = new URL(process.env.TIPHYS_SSH_PROXY ?? '');
const user = decodeURIComponent(proxy.username);
const password = decodeURIComponent(proxy.password);
const timeout = 15_000;

const protocols: Record<string, { port: number; open(socket: Socket): Promise<void> }> = {
  'socks5:': { port: 1080, open: socks5 },
  'socks5h:': { port: 1080, open: socks5 },
  'socks4:': { port: 1080, open: socks4 },
  'socks4a:': { port: 1080, open: socks4 },
  'http:': { port: 80, open: httpConnect },
  'https:': { port: 443, open: httpConnect },
};

/** Reads exactly so many bytes; the rest waits in the socket. */
async function read(socket: Socket, size: number): Promise<Buffer> {
  for (;;) {
    const chunk = socket.read(size) as Buffer | null;
    if (chunk && chunk.length === size) return chunk;
    if (chunk || socket.readableEnded || socket.destroyed) throw new Error('the proxy closed the connection');
    await new Promise<void>((resolve) => {
      socket.once('readable', resolve);
      socket.once('end', resolve);
      socket.once('close', resolve);
    });
  }
}

async function socks5(socket: Socket): Promise<void> {
  socket.write(user ? Buffer.from([5, 2, 0, 2]) : Buffer.from([5, 1, 0]));
  const [version, method] = await read(socket, 2);
  if (version !== 5 || (method !== 0 && method !== 2)) throw new Error('the SOCKS proxy wants another way to log in');
  if (method === 2) {
    const [name, secret] = [Buffer.from(user), Buffer.from(password)];
    socket.write(Buffer.concat([Buffer.from([1, name.length]), name, Buffer.from([secret.length]), secret]));
    if ((await read(socket, 2))[1] !== 0) throw new Error('the SOCKS proxy refused user name and password');
  }
  const name = Buffer.from(host);
  socket.write(Buffer.concat([Buffer.from([5, 1, 0, 3, name.length]), name, Buffer.from([port >> 8, port & 255])]));
  const [, status, , kind] = await read(socket, 4);
  if (status !== 0) throw new Error(`the SOCKS proxy cannot reach ${host} port ${port} (${status})`);
  const length = kind === 1 ? 4 : kind === 4 ? 16 : ((await read(socket, 1))[0] ?? 0);
  await read(socket, length + 2);
}

async function socks4(socket: Socket): Promise<void> {
  const head = Buffer.from([4, 1, port >> 8, port & 255, 0, 0, 0, 1]);
  socket.write(Buffer.concat([head, Buffer.from(`${user}\0${host}\0`)]));
  const [, status] = await read(socket, 8);
  if (status !== 90) throw new Error(`the SOCKS proxy cannot reach ${host} port ${port} (${status})`);
}

async function httpConnect(socket: Socket): Promise<void> {
  const target = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const login = user ? `Proxy-Authorization: Basic ${Buffer.from(`${user}:${password}`).toString('base64')}\r\n` : '';
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${login}\r\n`);
  let head = '';
  while (!head.endsWith('\r\n\r\n')) {
    head += (await read(socket, 1)).toString('latin1');
    if (head.length > 16_384) throw new Error('the answer of the proxy has no end');
  }
  const status = /^HTTP\/1\.\d (\d{3})/.exec(head)?.[1];
  if (status !== '200') throw new Error(`the proxy answered ${status ?? 'something else'} to CONNECT ${target}`);
}

const protocol = protocols[proxy.protocol];
if (!protocol) throw new Error(`no proxy protocol: ${proxy.protocol}`);
const address = { host: proxy.hostname.replace(/^\[|\]$/g, ''), port: Number(proxy.port) || protocol.port };
const socket: Socket =
  proxy.protocol === 'https:' ? connectTls({ ...address, servername: address.host }) : connect(address);
const failed = (error: Error) => {
  process.stderr.write(`proxy ${address.host} port ${address.port}: ${error.message}\n`);
  process.exit(1);
};
socket.on('error', failed);
socket.setTimeout(timeout, () => failed(new Error(`no answer within ${timeout / 1000} s`)));
protocol.open(socket).then(() => {
  socket.setTimeout(0);
  process.stdin.pipe(socket);
  socket.pipe(process.stdout);
  socket.on('close', () => process.exit(0));
}, failed);
