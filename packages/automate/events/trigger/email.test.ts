import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { certificatesFor } from '../control/certificates.ts';
import { trustedCertificates } from '../wire/testing/trusted-certificates.ts';
import { act } from './testing/act.ts';

interface Mail {
  readonly to: string[];
  readonly user: string | undefined;
  readonly secure: boolean;
  readonly text: string;
}

/** A real mail server; STARTTLS by the given certificate. */
async function mailServer(t: TestContext, options: SMTPServerOptions) {
  const mails: Mail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    onAuth: ({ username, password }, _session, done) =>
      username === 'me' && password === 'sesame' ? done(null, { user: 'me' }) : done(new Error('wrong')),
    onData(stream, { envelope, user, secure }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        mails.push({
          to: envelope.rcptTo.map(({ address }) => address),
          user: user as string | undefined,
          secure,
          text,
        });
        done();
      });
    },
    ...options,
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  t.after(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  return {
    mails,
    mail: { host: 'localhost', port, from: 'me@example.com', subject: 'Hello', body: 'Body of <b>it</b>' },
  };
}

const login = { username: 'me', smtpPassword: { name: 'mail', key: 'password' } };

describe('email triggers', () => {
  it('send a plain mail to each address, with their parameters, and tell of wrong ones', async (t) => {
    const { mail, mails } = await mailServer(t, { disabledCommands: ['STARTTLS', 'AUTH'] });
    const parameters = [{ src: { dependencyName: 'dep', dataKey: 'body.to' }, dest: 'to.0' }];
    const email = { ...mail, to: ['x@example.com', 'b@example.com'], parameters };
    assert.equal(await act({ email }), 'sent a mail to a@example.com, b@example.com');
    assert.deepEqual(
      mails.map(({ to }) => to),
      [['a@example.com'], ['b@example.com']],
    );
    assert.match(mails[0]?.text ?? '', /Subject: Hello\r\n/);
    assert.match(mails[0]?.text ?? '', /Content-Type: text\/plain; [\s\S]*Body of <b>it<\/b>/);
    await assert.rejects(act({ email: { ...email, to: ['x', 'nobody'] } }), /to emailId can't be invalid nobody/);
    assert.equal(mails.length, 3);
  });

  it('log in over TLS with a certificate that is verified', async (t) => {
    const { key, cert } = trustedCertificates();
    const { mail, mails } = await mailServer(t, { key, cert });
    await act({ email: { ...mail, ...login, to: ['a@example.com'] } });
    assert.deepEqual([mails[0]?.user, mails[0]?.secure], ['me', true]);
  });

  it('give nothing to a server whose certificate nobody vouches for', async (t) => {
    const { key, cert } = certificatesFor(['localhost'], Date.now());
    const { mail, mails } = await mailServer(t, { key, cert });
    await assert.rejects(
      act({ email: { ...mail, ...login, to: ['a@example.com'] } }),
      /failed to send emails to emailId a@example\.com, .*certificate/,
    );
    assert.equal(mails.length, 0);
  });
});
