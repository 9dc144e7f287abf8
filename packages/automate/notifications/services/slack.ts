import { failure } from '@tiphys/diagnosis';
import { credentialsRefused, refused } from '../model/diagnoses.ts';
import { type JsonMap, type Notification, text } from '../model/notification.ts';
import { isHttpUrl, jsonField } from './requirements.ts';
import type { Delivery, ServiceFactory, Thread } from './service.ts';

interface SlackAnswer {
  readonly ok?: boolean;
  readonly error?: string;
  readonly ts?: string;
  readonly channel?: string;
}

/** `slack`: messages, threads by `groupingKey`, and updates of a thread's first message by `deliveryPolicy`. */
export const slack: ServiceFactory =
  (options) =>
  async (notification, { recipient }, delivery) => {
    const section = notification.sections.slack ?? {};
    const message = messageOf(notification, section, options);
    const group = text(section.groupingKey);
    const policy = text(section.deliveryPolicy) || 'Post';
    const thread = group ? await delivery.threads.get(recipient, group) : undefined;
    if (!thread || policy !== 'Update') {
      const posted = await call(options, 'chat.postMessage', delivery, {
        channel: recipient,
        ...message,
        ...(thread ? { thread_ts: thread.timestamp } : {}),
        ...(section.notifyBroadcast === true ? { reply_broadcast: true } : {}),
      });
      if (group && !thread) await delivery.threads.put(recipient, group, begun(posted, recipient));
    }
    if (thread && (policy === 'Update' || policy === 'PostAndUpdate'))
      await call(options, 'chat.update', delivery, {
        channel: thread.channel,
        ...message,
        ts: thread.timestamp,
        as_user: true,
      });
  };

const begun = ({ ts = '', channel }: SlackAnswer, recipient: string): Thread => ({
  timestamp: ts,
  channel: channel ?? recipient,
});

function messageOf({ message }: Notification, section: JsonMap, options: JsonMap): JsonMap {
  const username = text(section.username) || text(options.username);
  const icon = text(section.icon) || text(options.icon);
  const attachments = jsonField<JsonMap[]>(text(section.attachments), 'slack.attachments', []);
  const blocks = jsonField<JsonMap[]>(text(section.blocks), 'slack.blocks', []);
  return {
    text: message,
    ...(username ? { username } : {}),
    ...(/^:.+:$/.test(icon) ? { icon_emoji: icon } : isHttpUrl(icon) ? { icon_url: icon } : {}),
    ...(attachments.length > 0 ? { attachments } : {}),
    ...(blocks.length > 0 ? { blocks } : {}),
    ...(options.disableUnfurl === true ? { unfurl_links: false, unfurl_media: false } : {}),
  };
}

async function call(options: JsonMap, method: string, delivery: Delivery, body: JsonMap): Promise<SlackAnswer> {
  const base = (text(options.apiURL) || 'https://slack.com/api/').replace(/(?<!\/)\/*$/, '/');
  const url = `${base}${method}`;
  const answer = await delivery.http.send({
    url,
    headers: { authorization: `Bearer ${text(options.token)}`, 'content-type': 'application/json; charset=utf-8' },
    body,
    options,
    signal: delivery.signal,
  });
  const result = (answer.json() ?? {}) as SlackAnswer;
  if (result.ok) return result;
  throw slackRefusal(result.error ?? 'an answer that is no JSON', String(body.channel));
}

const credentialErrors = new Set(['invalid_auth', 'not_authed', 'account_inactive', 'token_revoked', 'token_expired']);

function slackRefusal(error: string, channel: string): Error {
  if (credentialErrors.has(error))
    return failure(
      credentialsRefused,
      {
        message: `Slack refuses the token of the service: ${error}`,
        evidence: { answer: error },
        remedies: ['Put a valid bot token into the Secret of the notifications'],
      },
      { handling: 'retryable' },
    );
  const remedy: Readonly<Record<string, string>> = {
    channel_not_found: `Invite the bot to ${channel}, or correct the name of the channel`,
    not_in_channel: `Invite the bot to ${channel}`,
    missing_scope: 'Give the app the scope chat:write (and chat:write.customize for names and icons)',
  };
  return failure(
    refused,
    {
      message: `Slack does not take the message for ${channel}: ${error}`,
      evidence: { answer: error },
      remedies: [
        remedy[error] ?? 'Look the error up in the reference of chat.postMessage, and correct template or settings',
      ],
    },
    { handling: 'retryable' },
  );
}
