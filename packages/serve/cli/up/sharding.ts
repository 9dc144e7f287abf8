import { hostname } from 'node:os';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';

const shardingInvalid = defineDiagnosis('ShardingInvalid', 'The environment asks for a shard that cannot be', 'P6');

/**
 * `ARGOCD_CONTROLLER_REPLICAS` and `ARGOCD_CONTROLLER_SHARD`, as Argo CD's controller reads them: with several replicas and no
 * shard, the ordinal of a StatefulSet's host name is it; without one the process takes what is free.
 */
export function shardingOf(env: NodeJS.ProcessEnv, host: string = hostname()): { replicas?: number; shard?: number } {
  const replicas = numberOf(env, 'ARGOCD_CONTROLLER_REPLICAS');
  const shard = numberOf(env, 'ARGOCD_CONTROLLER_SHARD');
  const ordinal = /-(\d{1,4})$/.exec(host)?.[1];
  const inferred = replicas !== undefined && replicas > 1 && ordinal !== undefined ? Number(ordinal) : undefined;
  const own = shard ?? (inferred !== undefined && inferred < (replicas ?? 1) ? inferred : undefined);
  return { ...(replicas === undefined ? {} : { replicas }), ...(own === undefined ? {} : { shard: own }) };
}

/** -1 stands for absent, as upstream's default. */
function numberOf(env: NodeJS.ProcessEnv, name: string): number | undefined {
  const text = env[name];
  if (text === undefined || text === '' || text === '-1') return undefined;
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0 && number <= 1024) return number;
  throw failure(shardingInvalid, {
    message: `${name} is "${text}", wanted a number from 0 to 1024`,
    place: { field: name },
    remedies: [`Correct ${name}, or leave it out`],
  });
}
