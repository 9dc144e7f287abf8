import { DiagnosisError, defineDiagnosis, failure } from '@tiphys/diagnosis';
import { type Command, InvalidArgumentError } from 'commander';
import { version } from '../../terminal/version.ts';
import { buildWebPage, builtWebPage } from '../../up/web-page.ts';
import type { VerbCall, VerbCommands } from './verb-command.ts';

const portTaken = defineDiagnosis('DashboardPortTaken', 'The port of the dashboard of Rollouts cannot be listened on');

interface DashboardOptions {
  readonly port: number;
  readonly address: string;
  readonly rootPath: string;
}

/** `dashboard`: the page of Rollouts and upstream's API of them, with the rights of the kubeconfig, until it is stopped. */
export function addDashboardVerb(rollouts: Command, verbs: VerbCommands): void {
  verbs
    .add<DashboardOptions>(rollouts, 'dashboard', serveDashboard)
    .description('Serve the page of Rollouts and the API of its dashboard on this machine')
    .option('-p, --port <port>', 'Port to listen on; 0 takes a free one', portNumber, 3100)
    .option('--address <address>', 'Loopback address to listen on', '127.0.0.1')
    .option('--root-path <path>', 'Path of page and API', 'rollouts');
}

async function serveDashboard({ client, options, output, signal }: VerbCall<DashboardOptions>): Promise<void> {
  const { startDashboard } = await import('@tiphys/server');
  const { port, address, rootPath } = options;
  let page: Promise<string> | undefined;
  const webDir = () => (page ??= Promise.resolve(builtWebPage() ?? buildWebPage(signal)));
  const dashboard = await startDashboard({
    ...{ client, version, webDir, port, host: address },
    rootPath: rootPath.replace(/^\/+|(?<!\/)\/+$/g, ''),
    log: (level, message) => {
      if (level === 'error') output.error(message);
    },
  }).catch((error: NodeJS.ErrnoException) => {
    if (error instanceof DiagnosisError) throw error;
    throw failure(portTaken, {
      message: `${address}:${port} cannot be listened on: ${error.message}`,
      place: { field: '--port' },
      remedies: ['Stop what listens there, or name another port: --port 3101'],
    });
  });
  output.out(`Rollouts are shown at ${dashboard.url}\nCtrl-C stops.`);
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await dashboard.close();
}

function portNumber(text: string): number {
  const port = Number(text);
  if (/^[0-9]{1,5}$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('it is no port: 0 to 65535');
}
