import { goDuration } from '@tiphys/go';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Surroundings } from '../terminal/command-context.ts';
import { collect } from '../terminal/flag-values.ts';
import { paint } from '../terminal/output.ts';
import { readSessions, sessionFile } from '../terminal/session-file.ts';
import { exampleApplication, exampleNames, userApplication } from '../up/first-application.ts';
import { Progress } from '../up/progress.ts';
import { roles } from '../up/role.ts';
import type { UpOptions } from '../up/up-options.ts';

/** `tiphys up`: everything in one process on the sandbox or on the user's cluster, or one of its parts there. */
export function addUpCommand(program: Command, surroundings: Surroundings): void {
  program
    .command('up')
    .description(
      'Start everything in this process: sandbox Kubernetes, controllers, API and web page; or with --role a part',
    )
    .option('--port <port>', 'Port of the API and the web page', portNumber, 8080)
    .option('--host <address>', 'Address to listen on', '127.0.0.1')
    .option('--data <dir>', 'Keep the state in this folder and find it again at the next start')
    .option('--kubeconfig-out <file>', 'Where to write the kubeconfig of the sandbox')
    .addOption(
      new Option('--runtime <kind>', 'What runs pods of the sandbox: nothing, or processes of this machine')
        .choices(['simulated', 'process'])
        .default('simulated'),
    )
    .addOption(
      new Option(
        '--audit-log <file>',
        'Append who asked the sandbox for what: JSON lines of audit.k8s.io/v1',
      ).conflicts('kubeconfig'),
    )
    .option('--kubeconfig <file>', 'Use this cluster instead of the sandbox')
    .option('--context <name>', 'Context of that kubeconfig')
    .option('--repo <url>', 'Deliver this repository (URL or local path) instead of the example')
    .option('--path <dir>', 'Folder of its manifests', '.')
    .option('--revision <revision>', 'Branch, tag or commit', 'HEAD')
    .addOption(
      new Option(
        '--role <role>',
        'Run only the API with the web page, or only the controller; ARGOCD_BINARY_NAME',
      ).choices(roles),
    )
    .option(
      '--local-repositories <dir>',
      'Let applications name repositories of this machine below this folder; may be repeated',
      (dir: string, others: readonly string[]) => [...others, dir],
      [],
    )
    .option('--namespace <name>', 'Namespace of the control plane', 'argocd')
    .option(
      '--plugins <dir>',
      'Serve the config-management plugins of this folder: its plugin.yaml, or those of its folders',
    )
    .option('--redis <server>', 'Share what is rendered with other replicas in this Redis, host:port; REDIS_SERVER')
    .option('--redisdb <number>', 'Its database; REDISDB')
    .option('--redis-use-tls', 'Connect to it by TLS')
    .option('--redis-insecure-skip-tls-verify', 'Accept any certificate of it')
    .option('--redis-ca-certificate <file>', 'Authorities of its certificate')
    .option('--redis-client-certificate <file>', 'A certificate to show it')
    .option('--redis-client-key <file>', 'The key of that certificate')
    .option('--redis-cluster', 'It is a Redis Cluster: --redis names some of its nodes, with commas between')
    .option('--sentinel <server>', 'A Redis sentinel, host:port, in place of --redis; can be repeated', collect)
    .option('--sentinelmaster <name>', 'The master that the sentinels watch (default "master")')
    .addOption(new Option('--example <name>', 'Which example is delivered').choices(exampleNames).default('guestbook'))
    .option('--no-example', 'Start without an application')
    .option(
      '--metrics-ports <ports>',
      'Ports of the metrics of controller, API and repositories; those left out stay as they are',
      portNumbers,
    )
    .option('--no-metrics', 'Serve no metrics')
    .option(
      '--shutdown-delay <duration>',
      'Go on serving for this long after a signal to stop, such as 5s, while load balancers learn of it',
      goneAfter,
      0,
    )
    .option('--metrics-application-labels <labels>', 'Labels that argocd_app_labels shows', commaList, [])
    .option('--metrics-application-conditions <types>', 'Conditions that argocd_app_condition counts', commaList, [])
    .option('--metrics-cluster-labels <labels>', 'Labels that argocd_cluster_labels shows', commaList, [])
    .action((options: UpOptions) => up(options, surroundings));
}

function portNumber(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new InvalidArgumentError('Wanted a number from 0 to 65535.');
  return port;
}

function portNumbers(text: string): number[] {
  const ports = text.split(',').map(portNumber);
  if (ports.length > 3) throw new InvalidArgumentError('Wanted at most three ports, such as 8082,8083,8084.');
  return ports;
}

/** Milliseconds; bounded, since who stops processes does not wait for ever. */
function goneAfter(text: string): number {
  const duration = goDuration(text);
  if (duration === undefined || duration < 0 || duration > 60_000)
    throw new InvalidArgumentError('Wanted a duration from 0s to 60s, such as 5s.');
  return duration;
}

function commaList(text: string): string[] {
  return text.split(',').filter(Boolean);
}

async function up(options: UpOptions, surroundings: Surroundings): Promise<void> {
  const { output, signal, workdir } = surroundings;
  const progress = new Progress(output);
  // The other commands only talk to a server: they must not pay for loading one.
  const [{ startInstance }, { createOnce, watchUntilHealthy }] = await Promise.all([
    import('../up/instance.ts'),
    import('../up/first-light.ts'),
  ]);
  const playsRollouts = options.example === 'rollouts' && !options.repo && !options.kubeconfig;
  const example = playsRollouts ? await import('../up/example/prepare-rollouts.ts') : undefined;
  const prepared = await example?.prepareRollouts(surroundings);
  // it needs no kinds of the other families: they start while it waits between its waves
  const early = !options.repo && !options.kubeconfig && !options.role && options.example === 'guestbook';
  const instance = await startInstance(options, prepared?.surroundings ?? surroundings, progress, {
    delivering: early ? (delivering) => createOnce(delivering, exampleApplication('guestbook')) : undefined,
  });
  prepared?.measure(instance.client);
  try {
    const first = options.repo
      ? userApplication(options, workdir)
      : options.example && instance.kubeconfigPath
        ? exampleApplication(String(options.example))
        : undefined;
    if (!instance.url) {
      output.out(
        `\n  The ${options.role} is up for namespace ${instance.namespace} of ${instance.client.server}. Ctrl-C stops.\n`,
      );
      await ended(signal, options, output);
      return;
    }
    if (first) await watchUntilHealthy(instance, first, progress, signal);
    const { url, kubeconfigPath, password } = instance;
    const isCurrent = readSessions(sessionFile(surroundings.env)).current === url;
    output.out(
      kubeconfigPath
        ? invitation({ url, kubeconfigPath, password, isCurrent }, output, first?.metadata.name)
        : clusterInvitation(instance.url, instance.namespace, output),
    );
    await prepared?.play(instance, progress);
    await ended(signal, options, output);
  } finally {
    await instance.close();
    await prepared?.close();
  }
}

/** Resolves when the process is to stop serving. */
async function ended(signal: AbortSignal, { shutdownDelay }: UpOptions, output: Surroundings['output']): Promise<void> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  if (shutdownDelay > 0) {
    output.error(`Stopping in ${shutdownDelay / 1000} s …`);
    const { pause, systemClock } = await import('@tiphys/kubernetes');
    await pause(systemClock, shutdownDelay);
  } else output.error('Stopping …');
}

/** On a cluster others may read what a process prints: the password is in its Secret. */
function clusterInvitation(url: string, namespace: string, output: Surroundings['output']): string {
  return [
    '',
    `  ${paint(output, 'bold', 'Tiphys is up:')}  ${paint(output, 'cyan', url)}   (user admin)`,
    '',
    '  The initial password, unless it was changed:',
    `    kubectl -n ${namespace} get secret argocd-initial-admin-secret -o jsonpath='{.data.password}' | base64 -d`,
    '',
    '  Ctrl-C stops.',
    '',
  ].join('\n');
}

function invitation(
  {
    url,
    kubeconfigPath: kubeconfig,
    password,
    isCurrent,
  }: { url: string; kubeconfigPath: string; password: string; isCurrent: boolean },
  output: Surroundings['output'],
  name: string | undefined,
): string {
  const application = name ?? 'NAME';
  const host = new URL(url).host;
  const named = isCurrent ? '' : `--server ${url} `;
  return [
    '',
    `  ${paint(output, 'bold', 'Tiphys is up:')}  ${paint(output, 'cyan', url)}   (user admin, password ${password})`,
    `  Kubeconfig:     ${kubeconfig}`,
    '',
    '  Try next:',
    `    npx tiphys ${named}app get ${application}`,
    `    kubectl --kubeconfig ${kubeconfig} get applications,deployments,pods -A`,
    `    argocd login ${host} --plaintext --username admin --password ${password}`,
    '    change a manifest, commit, and watch it arrive',
    '',
    '  Ctrl-C stops.',
    '',
  ].join('\n');
}
