import { randomUUID } from 'node:crypto';
import { failure } from '@tiphys/diagnosis';
import { parseYaml } from '@tiphys/yaml';
import { refused } from '../model/diagnoses.ts';
import { type Json, list, text } from '../model/notification.ts';
import { hostOf } from './http.ts';
import { forRecipient, isHttpUrl, jsonField, missing } from './requirements.ts';
import type { ServiceFactory } from './service.ts';

function notTaken(url: string, answer: string, remedy: string): Error {
  const host = hostOf(url);
  return failure(
    refused,
    {
      message: `${host} does not take the notification`,
      place: { remote: host },
      evidence: { answer: answer.slice(0, 500) || '(empty)' },
      remedies: [remedy],
    },
    { handling: 'retryable' },
  );
}

/** `mattermost`. */
export const mattermost: ServiceFactory =
  (options) =>
  async (notification, { recipient }, { id, http, signal }) => {
    const attachments = jsonField<Json[]>(
      text(notification.sections.mattermost?.attachments),
      'mattermost.attachments',
      [],
    );
    await http.send({
      url: `${text(options.apiURL).replace(/(?<!\/)\/+$/, '')}/api/v4/posts`,
      headers: { authorization: `Bearer ${text(options.token)}` },
      body: { channel_id: recipient, message: notification.message, props: { attachments }, pending_post_id: id },
      options,
      signal,
    });
  };

/** `rocketchat`: logs in, then posts. */
export const rocketchat: ServiceFactory =
  (options) =>
  async (notification, { recipient }, { http, signal }) => {
    const base = text(options.serverUrl).replace(/(?<!\/)\/+$/, '');
    const login = await http.send({
      url: `${base}/api/v1/login`,
      body: { user: text(options.email), password: text(options.password) },
      options,
      signal,
    });
    const { data } = (login.json() ?? {}) as { data?: { authToken?: string; userId?: string } };
    const icon = text(options.icon);
    const avatar = text(options.avatar);
    const attachments = jsonField<Json[]>(
      text(notification.sections.rocketchat?.attachments),
      'rocketchat.attachments',
      [],
    );
    const url = `${base}/api/v1/chat.postMessage`;
    const answer = await http.send({
      url,
      headers: { 'x-auth-token': data?.authToken ?? '', 'x-user-id': data?.userId ?? '' },
      body: {
        ...(/^[#@]/.test(recipient) ? { channel: recipient } : { roomId: recipient }),
        text: notification.message,
        alias: text(options.alias),
        ...(/^:.+:$/.test(icon) ? { emoji: icon } : {}),
        ...(isHttpUrl(avatar) ? { avatar } : {}),
        ...(notification.sections.rocketchat ? { attachments } : {}),
      },
      options,
      signal,
    });
    const result = (answer.json() ?? {}) as { success?: boolean; error?: string };
    if (!result.success) throw notTaken(url, result.error ?? answer.text, 'Correct the room or the rights of the user');
  };

/** `googlechat`: webhooks of spaces by recipient; cards of both versions, threads by `threadKey`. */
export const googlechat: ServiceFactory =
  (options) =>
  async (notification, destination, { id, http, signal }) => {
    const url = new URL(forRecipient(options.webhooks, destination, 'webhooks'));
    const section = notification.sections.googlechat ?? {};
    const cards = list(parseYaml(text(section.cards)) as Json);
    const cardsV2 = list(parseYaml(text(section.cardsV2)) as Json).map((card) => ({ cardId: randomUUID(), card }));
    const hasCards = text(section.cards) !== '' || text(section.cardsV2) !== '';
    const threadKey = text(section.threadKey);
    if (threadKey) {
      url.searchParams.append('threadKey', threadKey);
      url.searchParams.append('messageReplyOption', 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD');
    }
    // a second request with the same id gives the message that is there
    url.searchParams.append('requestId', id);
    const answer = await http.send({
      url: String(url),
      body: {
        text: hasCards ? '' : notification.message,
        ...(cards.length > 0 ? { cards } : {}),
        ...(cardsV2.length > 0 ? { cardsV2 } : {}),
      },
      options,
      signal,
    });
    const { error } = (answer.json() ?? {}) as { error?: { code?: number; status?: string; message?: string } };
    if (error)
      throw notTaken(
        String(url),
        `${error.code} ${error.status}: ${error.message}`,
        'Correct the cards of the template',
      );
  };

/** `webex`: to a person by mail address, else to a room. */
export const webex: ServiceFactory = (options) => {
  const base = (text(options.apiURL) || 'https://webexapis.com').replace(/\/$/, '');
  return async ({ message }, { recipient }, { http, signal }) => {
    const isPerson = /^[^\s@]+@[^\s@.]+\.\S+$/.test(recipient);
    await http.send({
      url: `${base}/v1/messages`,
      headers: { authorization: `Bearer ${text(options.token)}` },
      body: { markdown: message, ...(isPerson ? { toPersonEmail: recipient } : { roomId: recipient }) },
      options,
      signal,
    });
  };
};

/** `telegram`: to a public channel by name, or to a chat by its negative number, with `|THREAD`. */
export const telegram: ServiceFactory =
  (options) =>
  async ({ message }, { recipient }, { http, signal }) => {
    const [chat, thread] = recipient.startsWith('-') ? recipient.split('|') : [`@${recipient}`];
    if (recipient.startsWith('-') && !/^-\d+(\|\d+)?$/.test(recipient))
      throw missing(
        `The recipient ${recipient} is neither a channel nor the number of a chat`,
        'Correct the recipient',
      );
    const url = `https://api.telegram.org/bot${text(options.token)}/sendMessage`;
    const answer = await http.send({
      url,
      body: {
        chat_id: recipient.startsWith('-') ? Number(chat) : chat,
        text: message,
        parse_mode: 'Markdown',
        ...(thread ? { message_thread_id: Number(thread) } : {}),
      },
      options,
      signal,
    });
    const result = (answer.json() ?? {}) as { ok?: boolean; description?: string };
    if (!result.ok)
      throw notTaken(url, result.description ?? answer.text, 'Correct the chat, or the Markdown of the message');
  };

/** `pushover`: to a user or group by its key. */
export const pushover: ServiceFactory =
  (options) =>
  async ({ message }, { recipient }, { http, signal }) => {
    const url = 'https://api.pushover.net/1/messages.json';
    const answer = await http.send({
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: String(new URLSearchParams({ token: text(options.token), user: recipient, message })),
      options,
      signal,
    });
    const result = (answer.json() ?? {}) as { status?: number; errors?: string[] };
    if (result.status !== 1)
      throw notTaken(url, result.errors?.join(', ') ?? answer.text, 'Correct the key of the user, or the token');
  };
