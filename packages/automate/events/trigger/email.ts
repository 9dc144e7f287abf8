import { checkHosts } from '@tiphys/outbound';
import { createTransport } from 'nodemailer';
import { withParameters } from '../parameters/parameters.ts';
import type { EmailTrigger } from '../spec/sensor.ts';
import { type Act, ActionError } from './trigger.ts';

const address = /^[\w.-]+@[\w-]+(?:\.[\w-]+)*\.[\w-]{2,4}$/;

const connectTimeout = 20_000;
const silence = 30_000;

/**
 * Sends a plain mail to each address; what goes wrong with one does not keep it from the others. TLS is used from the start on
 * port 465, elsewhere where the server offers it, and its certificate is verified, as upstream; a password goes nowhere else.
 */
export const act: Act = async ({ template, events }, { keys }) => {
  const email = withParameters(template.email as EmailTrigger, template.email?.parameters, events);
  const { to = [], body, subject, from, host, port, username, smtpPassword } = email;
  if (to.length === 0) throw new ActionError("to can't be empty");
  if (!body) throw new ActionError("body can't be empty");
  if (!subject) throw new ActionError("subject can't be empty");
  const pass = smtpPassword ? await keys.secret(smtpPassword) : '';
  await checkHosts(host ?? '');
  const transport = createTransport({
    host,
    ...(port ? { port } : {}),
    secure: port === 465,
    ...(username && pass ? { auth: { user: username, pass } } : {}),
    connectionTimeout: connectTimeout,
    greetingTimeout: connectTimeout,
    socketTimeout: silence,
    // what a parameter puts into the body must not name a file or an address
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const problems: string[] = [];
  for (const recipient of to) {
    if (!address.test(recipient)) problems.push(`to emailId can't be invalid ${recipient}`);
    else
      await transport
        .sendMail({ from, to: recipient, subject, text: String(body) })
        .catch((error: Error) => problems.push(`failed to send emails to emailId ${recipient}, ${error.message}`));
  }
  transport.close();
  if (problems.length > 0) throw new ActionError(problems.join('\n'));
  return `sent a mail to ${to.join(', ')}`;
};
