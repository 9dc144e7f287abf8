import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { buildPayload, withParameters } from '../parameters/parameters.ts';
import type { LambdaTrigger } from '../spec/sensor.ts';
import { awsConfig } from '../wire/aws.ts';
import { type Act, ActionError } from './trigger.ts';

/** Invokes a function of AWS Lambda. */
export const act: Act = async ({ template, policy, events, signal }, { keys }) => {
  const lambda = withParameters(template.awsLambda as LambdaTrigger, template.awsLambda?.parameters, events);
  const { functionName, region, accessKey, secretKey, roleARN, invocationType } = lambda;
  const client = new LambdaClient(await awsConfig({ region, accessKey, secretKey, roleARN }, keys));
  try {
    const answer = await client.send(
      new InvokeCommand({
        FunctionName: functionName,
        InvocationType: (invocationType || 'RequestResponse') as 'RequestResponse',
        Payload: Buffer.from(buildPayload(events, lambda.payload ?? []) ?? ''),
      }),
      { abortSignal: signal },
    );
    const status = answer.StatusCode ?? 0;
    const allowed = policy?.status?.allow;
    if (allowed && !allowed.includes(status))
      throw new ActionError(`policy application resulted in failure. http response status ${status} is not allowed`);
    return `invoked ${functionName}, answered ${status}`;
  } finally {
    client.destroy();
  }
};
