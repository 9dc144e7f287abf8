import { failure } from '@tiphys/diagnosis';
import { checkHosts, GuardedAgent, GuardedSecureAgent } from '@tiphys/outbound';
import { credentialsRefused, refused, unreachable } from '../model/diagnoses.ts';
import { text, textMap } from '../model/notification.ts';
import type { ServiceFactory } from './service.ts';

type AwsError = Error & { readonly $metadata?: { readonly httpStatusCode?: number } };

/** `awssqs`: a message; the recipient is the queue, else `queue`. Credentials come from the options or as the AWS SDK finds them. */
export const awssqs: ServiceFactory =
  (options) =>
  async (notification, { recipient }, { id, env, signal }) => {
    const { GetQueueUrlCommand, SendMessageCommand, SQSClient } = await import('@aws-sdk/client-sqs');
    const region = text(options.region) || env.AWS_DEFAULT_REGION;
    const client = new SQSClient({
      ...(region ? { region } : {}),
      ...(text(options.endpointUrl) ? { endpoint: text(options.endpointUrl) } : {}),
      ...(text(options.key) && text(options.secret)
        ? { credentials: { accessKeyId: text(options.key), secretAccessKey: text(options.secret) } }
        : {}),
      maxAttempts: 1,
      requestHandler: { httpAgent: new GuardedAgent(), httpsAgent: new GuardedSecureAgent() },
    });
    const queue = recipient || text(options.queue);
    const isFifo = queue.endsWith('.fifo');
    const section = notification.sections.awssqs ?? {};
    const group = text(section.messageGroupId);
    const attributes = Object.entries(textMap(section.messageAttributes)).map(
      ([name, value]) => [name, { DataType: 'String', StringValue: value }] as const,
    );
    try {
      const { QueueUrl } = await client.send(
        new GetQueueUrlCommand({
          QueueName: queue,
          ...(text(options.account) ? { QueueOwnerAWSAccountId: text(options.account) } : {}),
        }),
        { abortSignal: signal },
      );
      await client.send(
        new SendMessageCommand({
          QueueUrl,
          MessageBody: notification.message,
          ...(attributes.length > 0 ? { MessageAttributes: Object.fromEntries(attributes) } : {}),
          ...(group ? { MessageGroupId: group } : {}),
          // a delay of one message is not for queues that keep the order
          ...(isFifo ? { MessageDeduplicationId: id } : { DelaySeconds: 10 }),
        }),
        { abortSignal: signal },
      );
    } catch (error) {
      throw awsFailure(queue, error as AwsError);
    } finally {
      client.destroy();
    }
  };

function awsFailure(queue: string, error: AwsError): Error {
  const status = error.$metadata?.httpStatusCode;
  const isLogin = error.name === 'CredentialsProviderError' || status === 401 || status === 403;
  const kind = isLogin ? credentialsRefused : status ? refused : unreachable;
  return failure(
    kind,
    {
      message: `The queue ${queue} does not get the notification: ${error.name}: ${error.message}`,
      remedies: [
        'Correct queue, region or account, or the rights of the credentials (sqs:GetQueueUrl, sqs:SendMessage)',
      ],
    },
    { handling: 'retryable', cause: error },
  );
}

/** `gcppubsub`: a message; the recipient is the topic, else `topic`. Credentials come from `keyFile` or as Google's libraries find them. */
export const gcppubsub: ServiceFactory =
  (options) =>
  async (notification, { recipient }, { http, env, signal }) => {
    const emulator = env.PUBSUB_EMULATOR_HOST;
    const topic = recipient || text(options.topic);
    const base = emulator ? `http://${emulator}` : 'https://pubsub.googleapis.com';
    const attributes = textMap(notification.sections.gcppubsub?.attributes);
    await http.send({
      url: `${base}/v1/projects/${text(options.project)}/topics/${encodeURIComponent(topic)}:publish`,
      headers: emulator ? {} : await googleHeaders(text(options.keyFile)),
      body: {
        messages: [
          {
            data: Buffer.from(notification.message).toString('base64'),
            ...(Object.keys(attributes).length > 0 ? { attributes } : {}),
          },
        ],
      },
      options,
      signal,
    });
  };

async function googleHeaders(keyFile: string): Promise<Record<string, string>> {
  const { GoogleAuth } = await import('google-auth-library');
  const auth = new GoogleAuth({
    scopes: 'https://www.googleapis.com/auth/pubsub',
    ...(keyFile ? { keyFile } : {}),
  });
  try {
    return { authorization: `Bearer ${(await auth.getAccessToken()) ?? ''}` };
  } catch (error) {
    throw failure(
      credentialsRefused,
      {
        message: `There are no credentials for Pub/Sub: ${(error as Error).message}`,
        remedies: ['Set keyFile, or run with a service account of Google Cloud'],
      },
      { handling: 'retryable', cause: error },
    );
  }
}

/** `nats`: a message; the recipient is the subject. */
export const nats: ServiceFactory =
  (options) =>
  async ({ message }, { recipient }, { id }) => {
    const { connect, headers, nkeyAuthenticator, usernamePasswordAuthenticator } = await import(
      '@nats-io/transport-node'
    );
    const seed = text(options.nkey);
    const user = text(options.username);
    const password = text(options.password);
    const url = text(options.url);
    await checkHosts(url);
    try {
      const connection = await connect({
        servers: url,
        timeout: 20_000,
        reconnect: false,
        ...(seed
          ? { authenticator: nkeyAuthenticator(Buffer.from(seed)) }
          : user && password
            ? { authenticator: usernamePasswordAuthenticator(user, password) }
            : {}),
      });
      try {
        const own = headers();
        // JetStream drops a second one with the same id
        own.set('Nats-Msg-Id', id);
        for (const [name, value] of Object.entries(textMap(options.headers))) own.set(name, value);
        connection.publish(recipient, message, { headers: own });
        await connection.flush();
      } finally {
        await connection.close();
      }
    } catch (error) {
      const { message: reason } = error as Error;
      const isLogin = /authori[sz]ation|authentication/i.test(reason);
      throw failure(
        isLogin ? credentialsRefused : unreachable,
        {
          message: `NATS does not take the notification: ${reason}`,
          place: { remote: url },
          remedies: [
            isLogin
              ? 'Correct nkey, or username and password'
              : 'Make the NATS server reachable from the control plane',
          ],
        },
        { handling: 'retryable', cause: error },
      );
    }
  };
