import { defineDiagnosis, failure, type Place } from '@tiphys/diagnosis';
import type { ClusterConfig } from '@tiphys/kubernetes';

const execProviderRefused = defineDiagnosis(
  'ExecProviderRefused',
  'The configuration of a cluster names a program that this process may not run',
);

/** Programs that print a credential and take nothing from elsewhere. */
const usual = ['argocd-k8s-auth', 'tiphys-k8s-auth'];

/** Variables by which a program that may run is made to run something else. */
const steering =
  /^(?:PATH|LD_.*|DYLD_.*|NODE_.*|BASH_.*|ENV|IFS|SHELLOPTS|PYTHON.*|PERL.*|RUBY.*|JAVA_.*|_JAVA_.*|GIT_.*|SSH_.*|EDITOR|PAGER)$/;

type Exec = NonNullable<ClusterConfig['exec']>;

/**
 * The program of a cluster's `execProviderConfig`, if this process may run it: anyone who may register a cluster could run anything
 * otherwise. `allowed` are names or whole paths, as TIPHYS_EXEC_PROVIDERS gives them.
 */
export function admittedExec(exec: Exec, allowed: readonly string[], place: Place): Exec {
  if (![...usual, ...allowed].includes(exec.command))
    throw failure(execProviderRefused, {
      message: `execProviderConfig names the program "${exec.command}", which is not one that this process may run`,
      place,
      evidence: { 'may run': [...usual, ...allowed].join(', ') },
      remedies: [
        {
          text: 'Allow it, by the same text, where the controller and the server are started',
          paste: `TIPHYS_EXEC_PROVIDERS=${exec.command}`,
        },
        'Or give the cluster a bearerToken, a client certificate or awsAuthConfig',
      ],
    });
  const env = Object.keys(exec.env ?? {}).find((name) => steering.test(name.toUpperCase()));
  if (env === undefined) return exec;
  throw failure(execProviderRefused, {
    message: `execProviderConfig sets ${env}, by which its program could be made to run another one`,
    place,
    remedies: [`Remove ${env} from execProviderConfig.env`],
  });
}
