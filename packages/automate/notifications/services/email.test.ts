import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { DiagnosisError } from '@tiphys/diagnosis';
import { SMTPServer } from 'smtp-server';
import { email } from './email.ts';
import { Http } from './http.ts';
import type { Delivery } from './service.ts';

interface Mail {
  readonly from: string;
  readonly to: string[];
  readonly text: string;
}

/** A real SMTP server with STARTTLS and passwords. */
async function mailServer(t: TestContext): Promise<{ port: number; mails: Mail[] }> {
  const mails: Mail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    onAuth: ({ username, password }, _session, done) =>
      username === 'u' && password === 'p' ? done(null, { user: 'u' }) : done(new Error('wrong')),
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          text: Buffer.concat(chunks).toString(),
        });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  t.after(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { port: (server.server.address() as AddressInfo).port, mails };
}

const delivery = (): Delivery => ({
  id: 'notification-1',
  http: new Http({ env: {} }),
  threads: { get: async () => undefined, put: async () => undefined },
  env: {},
  now: () => 0,
  signal: AbortSignal.timeout(60_000),
});

test('a mail goes to all recipients over STARTTLS, with a password and an id that stays', async (t) => {
  const { port, mails } = await mailServer(t);
  const send = email({
    host: '127.0.0.1',
    port,
    username: 'u',
    password: 'p',
    from: 'cd@example.com',
    insecure_skip_verify: true,
    html: true,
  });
  await send(
    { message: 'm', sections: { email: { subject: 'Größe', body: '<b>hi</b>' } } },
    { service: 'email', recipient: 'a@example.com, b@example.com' },
    delivery(),
  );
  assert.deepEqual(
    mails.map(({ from, to }) => [from, ...to]),
    [['cd@example.com', 'a@example.com', 'b@example.com']],
  );
  assert.match(mails[0]?.text ?? '', /Message-ID: <notification-1@notifications\.tiphys\.dev>/i);
  assert.match(mails[0]?.text ?? '', /Content-Type: text\/html/);
  assert.match(mails[0]?.text ?? '', /<b>hi<\/b>/);
});

test('a server that refuses the password, or is not there, is told apart', async (t) => {
  const { port } = await mailServer(t);
  const to = { service: 'email', recipient: 'a@example.com' };
  const code = async (options: { port: number; password: string }): Promise<string> => {
    try {
      await email({ host: '127.0.0.1', username: 'u', from: 'cd@example.com', insecure_skip_verify: true, ...options })(
        { message: 'm', sections: {} },
        to,
        delivery(),
      );
    } catch (error) {
      if (error instanceof DiagnosisError) return error.diagnosis.code;
      throw error;
    }
    return 'sent';
  };
  assert.equal(await code({ port, password: 'wrong' }), 'NotificationCredentialsRefused');
  assert.equal(await code({ port: 1, password: 'p' }), 'NotificationReceiverUnreachable');
  assert.equal(await code({ port, password: 'p' }), 'sent');
});
