import { applyParameters, buildPayload } from '../parameters/parameters.ts';
import type { CustomTrigger } from '../spec/sensor.ts';
import { callGrpc, type GrpcFields, type GrpcTarget } from '../wire/grpc.ts';
import { stringifyYaml } from '../wire/yaml-text.ts';
import { type Act, ActionError } from './trigger.ts';

const service = '/triggers.Trigger';

/** Hands over to a gRPC server of the user's: it fetches the resource, executes it, and judges the outcome. */
export const act: Act = async ({ template, events, signal }, { keys }) => {
  const {
    serverURL,
    secure,
    certSecret,
    serverNameOverride,
    spec = {},
    parameters,
    payload,
  } = template.custom as CustomTrigger;
  const ca = secure && certSecret ? await keys.secret(certSecret) : undefined;
  const target: GrpcTarget = {
    address: serverURL,
    ...(secure
      ? { tls: { ...(ca ? { ca } : {}), ...(serverNameOverride ? { servername: serverNameOverride } : {}) } }
      : {}),
  };
  const call = async (method: string, fields: GrpcFields) => {
    for await (const answer of callGrpc(target, `${service}/${method}`, fields, signal)) return answer;
    throw new ActionError(`the trigger server gave no answer to ${method}`);
  };
  const fetched = await call('FetchResource', new Map([[1, Buffer.from(stringifyYaml(spec))]]));
  let resource = fetched.get(1) ?? new Uint8Array();
  if (parameters?.length)
    resource = Buffer.from(applyParameters(Buffer.from(resource).toString('utf8'), parameters, events));
  const built = payload ? buildPayload(events, payload) : undefined;
  const executed = await call(
    'Execute',
    new Map([[1, resource], ...(built === undefined ? [] : [[2, Buffer.from(built)] as const])]),
  );
  const judged = await call('ApplyPolicy', new Map([[1, executed.get(1) ?? new Uint8Array()]]));
  if (judged.get(1)?.[0] !== 1)
    throw new ActionError(
      `the trigger server refused the outcome: ${Buffer.from(judged.get(2) ?? new Uint8Array()).toString('utf8')}`,
    );
  return `executed by ${serverURL}`;
};
