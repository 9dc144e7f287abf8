import { ApiError, type Clock, systemClock } from '@tiphys/kubernetes';
import { openCluster } from './cluster/open-cluster.ts';
import { TaskReport } from './cluster/task-report.ts';
import { type PodContext, readContext } from './pod/pod-context.ts';
import { say } from './pod/say.ts';
import { messageOf, writeTermination } from './pod/termination-log.ts';
import type { RoleOptions, Work } from './work/work.ts';

export interface ExecutorOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Aborts when the container is asked to end. */
  readonly signal: AbortSignal;
  readonly clock?: Clock;
}

/** As upstream's executor ends when something other than the user's command goes wrong. */
const codeInternal = 64;

/**
 * Runs one role of Argo Workflows' executor, as `argoexec ROLE …` does: init, wait, emissary, resource, data, agent, artifact and kill.
 * Resolves to the exit code; what went wrong is said in the log and in the container's termination message.
 */
export async function runExecutor(argv: readonly string[], options: ExecutorOptions): Promise<number> {
  const { clock = systemClock, env, signal } = options;
  const [role = '', ...args] = argv;
  try {
    return await run(role, { args, env, clock, signal });
  } catch (error) {
    process.stderr.write(`Error: ${saidBy(error)}\n`);
    writeTermination(messageOf(error), env);
    return codeInternal;
  }
}

/** What the API server has said, as people know it from upstream's executor; else the message. */
function saidBy(error: unknown): string {
  const { message } = (error instanceof ApiError ? (error.body as { message?: unknown } | undefined) : undefined) ?? {};
  return typeof message === 'string' ? message : messageOf(error);
}

async function run(role: string, options: RoleOptions): Promise<number> {
  const { args, env, signal } = options;
  switch (role) {
    case 'init':
      await (await import('./roles/init.ts')).init(options, readContext(env));
      return 0;
    case 'artifact-plugin-init':
      await (await import('./roles/plugin-init.ts')).pluginInit(options, readContext(env));
      return 0;
    case 'wait':
      return await working(options, 'wait', async (work) => (await import('./roles/wait.ts')).wait(work));
    case 'resource':
      return await working(options, 'resource', async (work) => (await import('./roles/resource.ts')).resource(work));
    case 'data':
      return await working(options, 'data', async (work) => (await import('./roles/data.ts')).data(work));
    case 'artifact':
      return await working(options, 'artifact', async (work) =>
        (await import('./roles/artifact-delete.ts')).artifactDelete(work),
      );
    case 'emissary':
      return await (await import('./roles/emissary.ts')).emissary(args, { env, signal });
    case 'kill':
      (await import('./roles/kill.ts')).kill(options);
      return 0;
    case 'agent':
      return await agent(options);
    default:
      throw new Error(
        `The executor has no role "${role}": use init, wait, emissary, resource, data, agent, artifact or kill`,
      );
  }
}

async function working(options: RoleOptions, purpose: string, role: (work: Work) => Promise<void>): Promise<number> {
  const context: PodContext = readContext(options.env);
  const cluster = openCluster(options.args, { env: options.env, purpose });
  say(`Executor of pod ${context.podName} initialized for template ${context.template.name ?? ''}`);
  try {
    await role({ ...options, context, cluster, report: new TaskReport(cluster, context, options.clock) });
  } finally {
    await cluster.client.close();
  }
  return 0;
}

async function agent(options: RoleOptions): Promise<number> {
  if (options.args[0] === 'init') {
    (await import('./roles/agent-init.ts')).agentInit(options);
    return 0;
  }
  const cluster = openCluster(options.args, { env: options.env, purpose: 'agent' });
  try {
    await (await import('./roles/agent.ts')).agent(options, cluster);
  } finally {
    await cluster.client.close();
  }
  return 0;
}
