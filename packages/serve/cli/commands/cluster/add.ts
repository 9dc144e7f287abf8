import { join } from 'node:path';
import {
  type ClusterConfig,
  connect,
  type KubeObject,
  kubeconfigContexts,
  loadKubeconfig,
  systemClock,
} from '@tiphys/kubernetes';
import { type Command, Option } from 'commander';
import { accountToken, installManager } from '../../client/manager-account.ts';
import { Exit, type Surroundings, sessionOf } from '../../terminal/command-context.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { collect, pair } from '../../terminal/flag-values.ts';
import { readKubeconfigFile } from '../../terminal/kubeconfig-file.ts';
import { table } from '../../terminal/output.ts';

interface AddFlags {
  readonly kubeconfig?: string;
  readonly upsert?: boolean;
  readonly name?: string;
  readonly project?: string;
  readonly namespace?: string[];
  readonly clusterResources?: boolean;
  readonly inCluster?: boolean;
  readonly clusterEndpoint?: string;
  readonly systemNamespace: string;
  readonly serviceAccount?: string;
  readonly label?: string[];
  readonly annotation?: string[];
  readonly shard?: number;
  readonly proxyUrl?: string;
  readonly serverProxyUrl?: string;
  readonly disableCompression?: boolean;
  readonly awsClusterName?: string;
  readonly awsRoleArn?: string;
  readonly awsProfile?: string;
  readonly execCommand?: string;
  readonly execCommandArgs?: string[];
  readonly execCommandEnv?: string[];
  readonly execCommandApiVersion?: string;
  readonly execCommandInstallHint?: string;
}

const inClusterServer = 'https://kubernetes.default.svc';

/** `tiphys cluster add CONTEXT`: as `argocd cluster add`, gives a ServiceAccount of the cluster rights and registers it. */
export function addClusterAddCommand(command: Command, surroundings: Surroundings): void {
  const { output, env } = surroundings;
  withCredentialFlags(command.command('add [context]').description('Register the cluster of a kubeconfig context'))
    .option('--kubeconfig <file>', 'Kubeconfig; $KUBECONFIG or ~/.kube/config if absent')
    .option('--upsert', 'Change it if it is there already')
    .option('--name <name>', 'Name of the cluster; that of the context if absent')
    .option('--project <name>', 'Only for this project')
    .option('--namespace <name>', 'Namespace that is managed (repeatable); all if absent', collect)
    .option('--cluster-resources', 'Manage cluster-scoped objects too, where namespaces are named')
    .option('--in-cluster', 'The control plane runs in this cluster')
    .addOption(
      new Option('--cluster-endpoint <which>', 'Which address is registered').choices([
        'kubeconfig',
        'kube-public',
        'internal',
      ]),
    )
    .option('--system-namespace <name>', 'Namespace of the ServiceAccount', 'kube-system')
    .option('--service-account <name>', 'ServiceAccount that has rights already; argocd-manager is made if absent')
    .option('--label <name=value>', 'Label (repeatable)', collect)
    .option('--annotation <name=value>', 'Annotation (repeatable)', collect)
    .option('--shard <number>', 'Shard of the controller', (text) => Number.parseInt(text, 10))
    .option('--proxy-url <url>', 'Proxy from here to the cluster')
    .option('--server-proxy-url <url>', 'Proxy from the control plane to the cluster; empty for none')
    .option('--disable-compression', 'Do not ask the API server for compressed answers')
    .option('-y, --yes', 'Accepted for scripts; nothing is asked')
    .action(async (context: string | undefined, flags: AddFlags, own: Command) => {
      const file = flags.kubeconfig ?? env.KUBECONFIG ?? join(env.HOME ?? '', '.kube', 'config');
      const text = readKubeconfigFile(file);
      if (context === undefined) {
        const { current, names } = kubeconfigContexts(text);
        output.error('Choose a context:');
        output.error(table([['CURRENT', 'NAME'], ...names.map((name) => [name === current ? '*' : '', name])]));
        throw new Exit(exitCodes.usage);
      }
      if (flags.inCluster && flags.clusterEndpoint)
        return own.error('error: --in-cluster and --cluster-endpoint cannot be used together');
      const config = {
        ...loadKubeconfig(text, { file, context }),
        ...(flags.proxyUrl === undefined ? {} : { proxyUrl: flags.proxyUrl }),
      };
      const cluster = await registration(context, config, flags);
      await sessionOf(own, surroundings).request('POST', '/api/v1/clusters', {
        query: { upsert: flags.upsert ?? false },
        body: cluster,
      });
      return output.out(`Cluster '${cluster.server}' added`);
    });
}

function withCredentialFlags(command: Command): Command {
  return command
    .option('--aws-cluster-name <name>', 'Name of the EKS cluster; tokens are made by the AWS API')
    .option('--aws-role-arn <arn>', 'Role that is assumed for it')
    .option('--aws-profile <name>', 'Profile of AWS')
    .option('--exec-command <program>', 'Program that gives credentials')
    .option('--exec-command-args <argument>', 'Argument of it (repeatable)', collect)
    .option('--exec-command-env <name=value>', 'Variable of it (repeatable)', collect)
    .option('--exec-command-api-version <version>', 'Version of its input')
    .option('--exec-command-install-hint <text>', 'What is said when it is missing');
}

/** The body of the API's request; creates the account on the cluster where no other credentials are named. */
async function registration(context: string, config: ClusterConfig, flags: AddFlags) {
  const client = connect(config, { caller: { component: 'cli', purpose: 'register the cluster' } });
  try {
    const named = { clock: systemClock, systemNamespace: flags.systemNamespace };
    const credentials = otherCredentials(flags) ?? {
      bearerToken: flags.serviceAccount
        ? await accountToken(client, { ...named, name: flags.serviceAccount })
        : await installManager(client, { ...named, namespaces: flags.namespace ?? [] }),
    };
    const { tls = {} } = config;
    const address = await addressOf(config, flags, () =>
      client.find({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'kube-public', name: 'cluster-info' }),
    );
    const ca = address.ca ?? tls.ca;
    const proxyUrl = flags.serverProxyUrl ?? config.proxyUrl;
    return {
      name: flags.name ?? context,
      server: address.server,
      config: {
        ...credentials,
        tlsClientConfig: {
          insecure: tls.insecure ?? false,
          ...(tls.serverName ? { serverName: tls.serverName } : {}),
          ...(ca && !tls.insecure ? { caData: Buffer.from(ca).toString('base64') } : {}),
        },
        ...(proxyUrl ? { proxyUrl } : {}),
        ...(flags.disableCompression ? { disableCompression: true } : {}),
      },
      ...(flags.project === undefined ? {} : { project: flags.project }),
      ...(flags.namespace ? { namespaces: flags.namespace } : {}),
      ...(flags.clusterResources ? { clusterResources: true } : {}),
      ...(flags.shard === undefined ? {} : { shard: String(flags.shard) }),
      ...(flags.label ? { labels: Object.fromEntries(flags.label.map(pair)) } : {}),
      ...(flags.annotation ? { annotations: Object.fromEntries(flags.annotation.map(pair)) } : {}),
    };
  } finally {
    await client.close();
  }
}

function otherCredentials(flags: AddFlags): object | undefined {
  if (flags.awsClusterName) {
    return {
      awsAuthConfig: {
        clusterName: flags.awsClusterName,
        ...(flags.awsRoleArn ? { roleARN: flags.awsRoleArn } : {}),
        ...(flags.awsProfile ? { profile: flags.awsProfile } : {}),
      },
    };
  }
  if (!flags.execCommand) return undefined;
  return {
    execProviderConfig: {
      command: flags.execCommand,
      args: flags.execCommandArgs ?? [],
      env: Object.fromEntries((flags.execCommandEnv ?? []).map(pair)),
      apiVersion: flags.execCommandApiVersion ?? 'client.authentication.k8s.io/v1',
      ...(flags.execCommandInstallHint ? { installHint: flags.execCommandInstallHint } : {}),
    },
  };
}

/** Where the control plane finds the cluster; `kube-public` asks the cluster for the address that it publishes. */
async function addressOf(
  { server }: ClusterConfig,
  { inCluster, clusterEndpoint }: AddFlags,
  published: () => Promise<KubeObject | undefined>,
): Promise<{ server: string; ca?: string }> {
  if (inCluster || clusterEndpoint === 'internal') return { server: inClusterServer };
  if (clusterEndpoint !== 'kube-public') return { server };
  const text = ((await published())?.data as { kubeconfig?: string } | undefined)?.kubeconfig;
  const found = /^\s*server:\s*(\S+)\s*$/m.exec(text ?? '')?.[1];
  if (!found) return { server };
  const ca = /^\s*certificate-authority-data:\s*(\S+)\s*$/m.exec(text ?? '')?.[1];
  return { server: found, ...(ca ? { ca: Buffer.from(ca, 'base64').toString('utf8') } : {}) };
}
