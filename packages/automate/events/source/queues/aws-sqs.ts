import {
  DeleteMessageCommand,
  GetQueueUrlCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { compactJson } from '../../json/compact.ts';
import { parseNode } from '../../json/node.ts';
import type { KeySelector } from '../../spec/common.ts';
import { missing, type SpecProblem } from '../../spec/spec-problem.ts';
import { awsConfig } from '../../wire/aws.ts';
import { eventData, type Metadata, RawJson } from '../event-data.ts';
import type { Listen, SourceContext } from '../source.ts';

export interface SqsSpec {
  readonly queue?: string;
  readonly region?: string;
  readonly accessKey?: KeySelector;
  readonly secretKey?: KeySelector;
  readonly sessionToken?: KeySelector;
  readonly roleARN?: string;
  readonly queueAccountId?: string;
  readonly endpoint?: string;
  readonly waitTimeSeconds?: number;
  readonly dlq?: boolean;
  readonly jsonBody?: boolean;
  readonly metadata?: Metadata;
}

export function sqsProblem({ queue, region }: SqsSpec): SpecProblem | undefined {
  if (!region) return missing('region', 'must specify region');
  return queue ? undefined : missing('queue', 'must specify queue name');
}

/** Takes messages of a queue of SQS; one is deleted when it is on the bus. */
export const listen: Listen<SqsSpec> = async (context, ready) => {
  const { spec, keys, signal } = context;
  const client = new SQSClient(await awsConfig({ ...spec, region: spec.region ?? '' }, keys));
  try {
    const { QueueUrl } = await client.send(
      new GetQueueUrlCommand({
        QueueName: spec.queue,
        ...(spec.queueAccountId ? { QueueOwnerAWSAccountId: spec.queueAccountId } : {}),
      }),
      { abortSignal: signal },
    );
    ready();
    while (!signal.aborted) {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: 10,
          WaitTimeSeconds: spec.waitTimeSeconds || 3,
          MessageAttributeNames: ['All'],
        }),
        { abortSignal: signal },
      );
      for (const message of Messages)
        if (await handle(context, message))
          await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message.ReceiptHandle }));
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    client.destroy();
  }
};

/** True if the message is to be deleted: it is on the bus, or no event can be made of it and there is no queue for such ones. */
async function handle(
  context: SourceContext<SqsSpec>,
  { MessageId, MessageAttributes, Body = '' }: Message,
): Promise<boolean> {
  const { spec } = context;
  let data: string;
  try {
    const body = spec.jsonBody ? new RawJson(compactJson(parseNode(Body))) : Body;
    data = eventData({ messageId: MessageId, messageAttributes: MessageAttributes ?? null, body }, spec.metadata);
  } catch (error) {
    context.failed(error);
    return !spec.dlq;
  }
  try {
    await context.dispatch(data);
    return true;
  } catch (error) {
    context.failed(error);
    return false;
  }
}
