import { withParameters } from '../parameters/parameters.ts';
import type { SlackTrigger } from '../spec/sensor.ts';
import { sendRequest } from '../wire/http-request.ts';
import { type Act, ActionError, type TriggerContext } from './trigger.ts';

const timeout = 30_000;
/** What Slack's own clients read the address of the API from, too. */
const defaultApi = 'https://slack.com/api/';
const threads = new WeakMap<object, Map<string, string>>();

/** Posts a message to a channel; messages with one aggregation key are a thread. */
export const act: Act = async ({ template, events, signal }, context) => {
  const slack = withParameters(template.slack as SlackTrigger, template.slack?.parameters, events);
  const { channel = '', message = '', attachments = '', blocks = '', sender, thread } = slack;
  if (!channel) throw new ActionError('no slack channel provided');
  if (!message && !attachments && !blocks)
    throw new ActionError('no text to post: At least one of message/attachments/blocks should be provided');
  const key = thread?.messageAggregationKey ?? '';
  const known = threadsOf(context);
  const before = key ? known.get(`${channel} ${key}`) : undefined;
  const icon = sender?.icon ?? '';
  const ts = await post(
    {
      channel: channel.replace(/^#/, ''),
      text: message,
      ...(attachments ? { attachments: parsed('attachments', attachments) } : {}),
      ...(blocks ? { blocks: parsed('blocks', blocks) } : {}),
      ...(before ? { thread_ts: before, reply_broadcast: thread?.broadcastMessageToChannel === true } : {}),
      ...(sender?.username ? { username: sender.username } : {}),
      ...(icon ? (icon.startsWith(':') ? { icon_emoji: icon } : { icon_url: icon }) : {}),
    },
    await context.keys.secret(slack.slackToken ?? { key: '' }),
    signal,
  );
  if (key && !before) known.set(`${channel} ${key}`, ts);
  return `posted to ${channel}`;
};

function threadsOf({ connections }: TriggerContext): Map<string, string> {
  const known = threads.get(connections) ?? new Map<string, string>();
  threads.set(connections, known);
  return known;
}

function parsed(what: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ActionError(`${what} are no JSON: ${(error as Error).message}`);
  }
}

async function post(message: object, token: string, signal: AbortSignal): Promise<string> {
  const { status, body } = await sendRequest({
    url: `${process.env.SLACK_API_URL || defaultApi}chat.postMessage`,
    method: 'POST',
    headers: [
      ['Content-Type', 'application/json; charset=utf-8'],
      ['Authorization', `Bearer ${token.trim()}`],
    ],
    body: JSON.stringify(message),
    timeout,
    signal,
  });
  const answer = (status === 200 ? JSON.parse(body) : {}) as { ok?: boolean; error?: string; ts?: string };
  if (!answer.ok) throw new ActionError(`Slack refused the message: ${answer.error ?? `status ${status}`}`);
  return answer.ts ?? '';
}
