import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { root, sourceFiles } from '../architecture.ts';

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

/** What opens connections, by module; `*` is whatever is imported as a value. */
const dialers: Readonly<Record<string, readonly string[]>> = {
  'node:net': ['connect', 'createConnection', 'Socket'],
  'node:tls': ['connect'],
  'node:http': ['request', 'get', 'Agent'],
  'node:https': ['request', 'get', 'Agent'],
  'node:http2': ['connect'],
  'node:dgram': ['*'],
  undici: ['*'],
  ws: ['default', 'WebSocket'],
  amqplib: ['*'],
  mqtt: ['*'],
  ioredis: ['*'],
  minio: ['*'],
  nodemailer: ['*'],
  'ssh2-sftp-client': ['*'],
  '@nats-io/transport-node': ['connect'],
  '@azure/event-hubs': ['EventHubConsumerClient', 'EventHubProducerClient'],
  '@azure/service-bus': ['ServiceBusClient'],
  '@azure/storage-queue': ['QueueServiceClient'],
  '@google-cloud/pubsub': ['PubSub'],
};

/**
 * Files that open connections without `@tiphys/outbound`, and whose word they take for where to: none of them takes it from a
 * source, a chart, an object of a tenant, or a redirect.
 */
const allowed: Readonly<Record<string, string>> = {
  'packages/foundation/kubernetes/': 'API servers of kubeconfigs and of cluster Secrets, which administrators register',
  'packages/foundation/inbound/': 'connections that came in',
  'packages/sandbox/': 'the embedded cluster, whose API server calls webhooks and pods as any does',
  'packages/serve/web/': 'the page, in the browser',
  'packages/serve/server/sso/': 'the identity provider that argocd-cm names',
  'packages/serve/server/endpoints/sign-on/dex-proxy.ts': 'the Dex that the settings name',
  'packages/serve/server/extensions/forward.ts': 'the backends of extensions that argocd-cm names',
  'packages/serve/server/extensions/websocket.ts': 'the backends of extensions that argocd-cm names',
  'packages/serve/server/http/gateway.ts': 'itself',
  'packages/serve/server/terminal/': 'a connection that came in',
  'packages/serve/cli/': 'commands of whoever runs them',
  'packages/render/source/outcomes/redis-client.ts': 'the Redis that the flags name',
  'packages/render/plugin/': 'sockets of plugins on this machine',
  'packages/progress/step-plugins/process/plugin-process.ts': 'the socket of a plugin that was started',
  'packages/automate/artifacts/drivers/plugin.ts': 'sockets of artifact plugins beside the executor',
  'packages/sources/git/connect/ssh-proxy-command.ts': 'the proxy of a repository that was registered',
};

/** Every place of the packages that opens connections beside the one dialer, as `file:line: what is wrong`. */
export function checkDialers(files: readonly string[] = sourceFiles()): string[] {
  return files.flatMap((file) => {
    if (file.startsWith('packages/foundation/outbound/') || Object.keys(allowed).some((one) => file.startsWith(one)))
      return [];
    return dialerBreaches(file, readFileSync(join(root, file), 'utf8'));
  });
}

/** The same of one file's text. */
export function dialerBreaches(file: string, text: string): string[] {
  const { program } = parseSync(file, text) as unknown as { program: Node };
  if (nodesOf(program, 'ImportDeclaration').some((node) => sourceOf(node) === '@tiphys/outbound')) return [];
  const own =
    nodesOf(program, 'Identifier').some((node) => nameOf(node) === 'fetch' && node['typeAnnotation']) ||
    nodesOf(program, 'ImportSpecifier').some(({ local }) => nameOf(local) === 'fetch');
  const found = [
    ...nodesOf(program, 'ImportDeclaration').filter((node) => node['importKind'] !== 'type' && dials(node)),
    ...nodesOf(program, 'ImportExpression').filter((node) => Object.hasOwn(dialers, sourceOf(node))),
    ...nodesOf(program, 'CallExpression').filter(
      ({ callee }) => (callee as Node).type === 'Identifier' && nameOf(callee) === 'fetch' && !own,
    ),
  ];
  return found.map(({ start }) => {
    const line = text.slice(0, start).split('\n').length;
    return `${file}:${line}: opens connections; go through @tiphys/outbound, or say in scripts/checks/check-dialers.ts who names the host`;
  });
}

function dials(node: Node): boolean {
  const module = sourceOf(node);
  if (!Object.hasOwn(dialers, module)) return false;
  const wanted = dialers[module] ?? [];
  return (node['specifiers'] as Node[]).some((specifier) => {
    if (specifier['importKind'] === 'type') return false;
    if (specifier.type === 'ImportNamespaceSpecifier' || wanted.includes('*')) return true;
    return wanted.includes(specifier.type === 'ImportDefaultSpecifier' ? 'default' : nameOf(specifier['imported']));
  });
}

function sourceOf({ source }: Node): string {
  return String((source as { value?: unknown } | undefined)?.value ?? '');
}

function nameOf(node: unknown): string {
  return String((node as { name?: unknown } | undefined)?.name ?? '');
}

function nodesOf(value: unknown, type: string): Node[] {
  if (Array.isArray(value)) return value.flatMap((item) => nodesOf(item, type));
  if (typeof value !== 'object' || value === null) return [];
  const node = value as Node;
  return [...(node.type === type ? [node] : []), ...Object.values(value).flatMap((child) => nodesOf(child, type))];
}
