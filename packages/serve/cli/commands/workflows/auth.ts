import { systemClock } from '@tiphys/kubernetes';
import type { Command } from 'commander';
import type { Surroundings } from '../../terminal/command-context.ts';
import { type Where, whereFlags } from '../common/kube-flags.ts';
import { clusterOf } from '../common/on-cluster.ts';

/** `tiphys workflows auth token`. */
export function addAuth(workflows: Command, { env, output }: Surroundings): void {
  const auth = workflows.command('auth').description('Who asks the API of workflows');
  const token = auth
    .command('token')
    .description('Print what to send as Authorization: ARGO_TOKEN, or what the kubeconfig gives');
  whereFlags(token).action(async (options: Where) => {
    const authorization = env.ARGO_TOKEN ?? (await authorizationInKubeconfig(env, options));
    output.out(authorization);
  });
}

async function authorizationInKubeconfig(env: Surroundings['env'], where: Where): Promise<string> {
  const { authorizationOf } = await import('@tiphys/kubernetes');
  const cluster = clusterOf(env, where);
  const authorization = await authorizationOf(cluster, systemClock);
  if (authorization) return authorization;
  const { VerbError } = await import('@tiphys/workflows');
  throw new VerbError(
    `The kubeconfig has no token for ${cluster.name ?? cluster.server}: a client certificate is not sent to the API of workflows. Give the token of a ServiceAccount by ARGO_TOKEN, such as "Bearer $(kubectl create token NAME)"`,
  );
}
