import { readFileSync } from 'node:fs';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { type Command, Option } from 'commander';
import type { Dispatcher } from 'undici';
import type { Connection } from '../client/api-session.ts';
import { collect } from './flag-values.ts';

const connectionFlagInvalid = defineDiagnosis(
  'ConnectionFlagInvalid',
  'A flag of the command line about the connection to the server cannot be used',
);

/** How `argocd` lets its caller say by which way the server is reached. */
export interface ConnectionFlags {
  readonly server?: string;
  readonly authToken?: string;
  readonly argocdContext?: string;
  readonly plaintext?: boolean;
  readonly insecure?: boolean;
  readonly serverCrt?: string;
  readonly clientCrt?: string;
  readonly clientCrtKey?: string;
  readonly header?: readonly string[];
  readonly httpRetryMax?: number;
  readonly grpcWebRootPath?: string;
}

/** Flags of `argocd` for its ways around the server, with what to do in place of each. */
const refused: Readonly<Record<string, string>> = {
  '--core': 'put tiphys core in front, which needs a kubeconfig alone: tiphys core tiphys app list',
  '--port-forward': 'kubectl port-forward service/argocd-server 8080:80, and --server localhost:8080',
  '--port-forward-namespace <namespace>':
    'kubectl port-forward -n NAMESPACE service/argocd-server 8080:80, and --server localhost:8080',
  '--kube-context <name>': 'tiphys core --context NAME tiphys app list, or name the server by --server',
  '--config <file>': 'sessions are kept in $XDG_CONFIG_HOME/tiphys/sessions.json: set that variable',
};

/** Flags of `argocd` that its scripts give and that change nothing here. */
const idle = [
  '--grpc-web',
  '--logformat <format>',
  '--loglevel <level>',
  '--controller-name <name>',
  '--server-name <name>',
  '--repo-server-name <name>',
  '--redis-name <name>',
  '--redis-haproxy-name <name>',
  '--redis-compress <kind>',
];

export function addConnectionFlags(program: Command): Command {
  program
    .option('--server <address>', 'Server of the API (TIPHYS_SERVER)')
    .option('--auth-token <token>', 'Token for it (TIPHYS_AUTH_TOKEN)')
    .option('--argocd-context <name>', 'The server of this name that was logged in to, for this command')
    .option('--plaintext', 'Reach it without TLS')
    .option('--insecure', 'Accept any certificate of it')
    .option('--server-crt <file>', 'Certificate of it, or of its authority')
    .option('--client-crt <file>', 'Certificate to show it')
    .option('--client-crt-key <file>', 'Key of that certificate')
    .option('-H, --header <header>', 'Header of every request, `Name: value` (repeatable)', collect)
    .option('--http-retry-max <number>', 'How often a connection that fails is tried again', Number)
    .option('--grpc-web-root-path <path>', 'Path of the server behind a proxy');
  for (const flag of idle) program.addOption(new Option(flag, 'No effect').hideHelp());
  for (const [flag, instead] of Object.entries(refused)) {
    const option = new Option(flag, 'Refused').hideHelp();
    const name = option.long ?? flag;
    program.addOption(option);
    program.on(`option:${option.name()}`, () => {
      throw failure(connectionFlagInvalid, {
        message: `${name} is not there: Tiphys is asked through its server alone`,
        remedies: [`Instead: ${instead}`],
      });
    });
  }
  return program;
}

/** Scheme, path and way of the requests by the flags. Throws ConnectionFlagInvalid for files and headers that cannot be read. */
export function connectionOf(flags: ConnectionFlags): Connection {
  const { insecure, serverCrt, clientCrt, clientCrtKey, httpRetryMax } = flags;
  const tls = {
    ...(insecure ? { rejectUnauthorized: false } : {}),
    ...(serverCrt ? { ca: read('--server-crt', serverCrt) } : {}),
    ...(clientCrt ? { cert: read('--client-crt', clientCrt) } : {}),
    ...(clientCrtKey ? { key: read('--client-crt-key', clientCrtKey) } : {}),
  };
  return {
    headers: headersOf(flags.header ?? []),
    retries: httpRetryMax ?? 0,
    ...(Object.keys(tls).length > 0 ? { tls, fetch: fetchWith(tls) } : {}),
  };
}

/** Loads undici with its first request: a hundred modules that most processes need nothing of. */
function fetchWith(tls: object): typeof fetch {
  let loaded: Promise<{ send: typeof import('undici').fetch; dispatcher: Dispatcher }> | undefined;
  const send = async (url: never, init: object) => {
    loaded ??= import('undici').then(({ Agent, fetch: send }) => ({ send, dispatcher: new Agent({ connect: tls }) }));
    const { send, dispatcher } = await loaded;
    return send(url, { ...init, dispatcher });
  };
  return send as unknown as typeof fetch;
}

function read(flag: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw failure(
      connectionFlagInvalid,
      {
        message: `The file ${file} of ${flag} cannot be read: ${(error as Error).message}`,
        remedies: ['Name an existing file'],
      },
      { cause: error },
    );
  }
}

/** `Name: value`; several in one with commas between, as upstream. */
function headersOf(given: readonly string[]): Record<string, string> {
  const pairs = given
    .flatMap((text) => text.split(/,(?=[\w-]+:)/))
    .map((text) => {
      const at = text.indexOf(':');
      if (at <= 0)
        throw failure(connectionFlagInvalid, {
          message: `--header ${JSON.stringify(text)} is no header`,
          remedies: ['Write it as "Name: value"'],
        });
      return [text.slice(0, at).trim(), text.slice(at + 1).trim()] as const;
    });
  return Object.fromEntries(pairs);
}
