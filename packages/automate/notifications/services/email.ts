import { failure } from '@tiphys/diagnosis';
import { checkHosts } from '@tiphys/outbound';
import { credentialsRefused, refused, unreachable } from '../model/diagnoses.ts';
import { text } from '../model/notification.ts';
import { missing } from './requirements.ts';
import type { ServiceFactory } from './service.ts';

/** `email`: SMTP, with TLS from the start on port 465 and STARTTLS where the server offers it. */
export const email: ServiceFactory = (options) => {
  const host = text(options.host);
  const port = Number(options.port ?? 0);
  if (!host) throw missing('The service email has no host', 'Set host');
  return async (notification, { recipient }, { id, signal }) => {
    const { createTransport } = await import('nodemailer');
    const section = notification.sections.email ?? {};
    const body = text(section.body) || notification.message;
    await checkHosts(host);
    const transport = createTransport({
      host,
      port,
      secure: port === 465,
      ...(text(options.username) ? { auth: { user: text(options.username), pass: text(options.password) } } : {}),
      tls: { rejectUnauthorized: options.insecure_skip_verify !== true },
      connectionTimeout: 20_000,
      greetingTimeout: 20_000,
      socketTimeout: 30_000,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    const abort = (): void => transport.close();
    signal.addEventListener('abort', abort, { once: true });
    try {
      await transport.sendMail({
        from: text(options.from),
        to: recipient.split(',').map((address) => address.trim()),
        subject: text(section.subject),
        // mail systems take a second one with the same id for the same
        messageId: `<${id}@notifications.tiphys.dev>`,
        ...(options.html === true ? { html: body } : { text: body }),
      });
    } catch (error) {
      throw mailFailure(`${host}:${port}`, error as MailError);
    } finally {
      signal.removeEventListener('abort', abort);
      transport.close();
    }
  };
};

type MailError = Error & { readonly code?: string; readonly responseCode?: number; readonly response?: string };

function mailFailure(remote: string, error: MailError): Error {
  const { code, response, message } = error;
  if (code === 'EAUTH')
    return failure(
      credentialsRefused,
      {
        message: `${remote} refuses the user name and password of the service email`,
        place: { remote },
        evidence: { answer: response },
        remedies: ['Correct username and password of the service email'],
      },
      { handling: 'retryable', cause: error },
    );
  if (error.responseCode)
    return failure(
      refused,
      {
        message: `${remote} does not take the mail: it answered ${error.responseCode}`,
        place: { remote },
        evidence: { answer: response },
        remedies: ['Correct the addresses, or what the mail server says of them'],
      },
      { handling: 'retryable', cause: error },
    );
  return failure(
    unreachable,
    {
      message: `${remote} can not be reached: ${message}`,
      place: { remote },
      remedies: ['Make the mail server reachable from the control plane (host, port, certificate)'],
    },
    { handling: 'retryable', cause: error },
  );
}
