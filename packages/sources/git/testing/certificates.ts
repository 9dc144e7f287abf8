import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface TestCertificate {
  /** PEM; it is its own authority. */
  readonly cert: string;
  readonly key: string;
}

export interface TestCertificateOptions {
  /** Alternative names as openssl writes them; `DNS:localhost,IP:127.0.0.1` if absent. */
  readonly names?: string;
  /** `YYYYMMDDHHMMSSZ`; now and a day later if absent. */
  readonly notBefore?: string;
  readonly notAfter?: string;
}

/** Makes a self-signed certificate with openssl, in a folder that the caller removes. */
export function makeCertificate(folder: string, options: TestCertificateOptions = {}): TestCertificate {
  mkdirSync(folder, { recursive: true });
  const [key, cert] = [join(folder, 'tls.key'), join(folder, 'tls.crt')];
  const dated = options.notBefore || options.notAfter;
  const subject = [
    '-subj',
    '/O=Tiphys tests/CN=test host',
    '-addext',
    `subjectAltName=${options.names ?? 'DNS:localhost,IP:127.0.0.1'}`,
  ];
  const run = (...args: string[]) => execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: folder });
  if (dated) {
    // Only `openssl ca` of every version in use takes both dates.
    run(
      'req',
      '-new',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-keyout',
      key,
      '-out',
      'request.csr',
      ...subject,
    );
    execFileSync(
      'sh',
      [
        '-c',
        'touch index.txt && echo 01 > serial && printf "[ca]\\ndefault_ca=d\\n[d]\\ndatabase=index.txt\\nserial=serial\\nnew_certs_dir=.\\ndefault_md=sha256\\npolicy=p\\ncopy_extensions=copy\\n[p]\\ncommonName=supplied\\norganizationName=optional\\n" > ca.cnf',
      ],
      { cwd: folder },
    );
    run(
      'ca',
      '-batch',
      '-config',
      'ca.cnf',
      '-selfsign',
      '-keyfile',
      key,
      '-in',
      'request.csr',
      '-out',
      cert,
      '-notext',
      '-startdate',
      options.notBefore ?? '20240101000000Z',
      '-enddate',
      options.notAfter ?? '20990101000000Z',
    );
  } else {
    run(
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '1',
      '-keyout',
      key,
      '-out',
      cert,
      ...subject,
    );
  }
  return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
}
