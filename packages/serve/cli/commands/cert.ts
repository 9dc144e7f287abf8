import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { Exit, type Surroundings, sessionOf } from '../terminal/command-context.ts';
import { asking } from '../terminal/confirm.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { outputFlag } from './common/output-flag.ts';
import { printRecords } from './common/records.ts';

interface Certificate {
  readonly serverName: string;
  readonly certType: string;
  readonly certSubType?: string;
  readonly certInfo?: string;
}

const path = '/api/v1/certificates';
const columns = ['HOSTNAME', 'TYPE', 'SUBTYPE', 'INFO'];
const row = (item: Certificate) => [item.serverName, item.certType, item.certSubType, item.certInfo];

/** `tiphys cert …`: the verbs of `argocd cert`. */
export function addCertificateCommands(program: Command, surroundings: Surroundings): void {
  const { output, workdir } = surroundings;
  const command = program.command('cert').description('Manage certificates and host keys of repository servers');
  const refuse = (message: string): never => {
    output.error(message);
    throw new Exit(exitCodes.generic);
  };
  const create = (own: Command, upsert: boolean | undefined, items: readonly object[]) =>
    sessionOf(own, surroundings).request<{ items?: Certificate[] | null }>('POST', path, {
      query: { upsert: upsert ?? false },
      body: { items },
    });

  command
    .command('list')
    .description('List certificates and host keys')
    .addOption(outputFlag(['wide', 'json', 'yaml']))
    .option('--sort <order>', 'hostname or type', 'hostname')
    .option('--cert-type <type>', 'ssh or https')
    .option('--hostname-pattern <glob>', 'Only of these servers')
    .action(async (flags: ListFlags, own: Command) => {
      const found = await sessionOf(own, surroundings).request<{ items?: Certificate[] | null }>('GET', path, {
        query: { certType: flags.certType, hostNamePattern: flags.hostnamePattern },
      });
      const key = (item: Certificate) => (flags.sort === 'type' ? item.certType : item.serverName);
      const items = (found.items ?? []).toSorted((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
      printRecords(surroundings, flags.output, { items, columns, row, nameOf: ({ serverName }) => serverName });
    });

  command
    .command('add-tls <server>')
    .description('Trust the certificates of a file for a server')
    .requiredOption('--from <file>', 'File with certificates, PEM')
    .option('--upsert', 'Replace what is there')
    .action(async (server: string, flags: AddFlags, own: Command) => {
      const text = readFileSync(resolve(workdir, flags.from), 'utf8');
      const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
      const unique = [...new Set(blocks)];
      if (unique.length === 0) return refuse(`${flags.from} has no certificate: PEM with BEGIN CERTIFICATE is wanted`);
      const certData = Buffer.from(unique.join('\n')).toString('base64');
      await create(own, flags.upsert, [{ serverName: server, certType: 'https', certData }]);
      return output.out(
        `Created/updated TLS certificate entry for repository server ${server} with ${unique.length} unique PEM certificates`,
      );
    });

  command
    .command('add-ssh')
    .description('Trust the host keys of a file, in the form of known_hosts')
    .requiredOption('--from <file>', 'File with one host key a line')
    .option('--batch', 'As in argocd: keys come from a file')
    .option('--upsert', 'Replace what is there')
    .action(async (flags: AddFlags, own: Command) => {
      const entries = readFileSync(resolve(workdir, flags.from), 'utf8')
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '' && !line.startsWith('#'));
      if (entries.length === 0) return refuse(`${flags.from} has no host keys: lines as in known_hosts are wanted`);
      const { items } = await create(own, flags.upsert, entries.flatMap(hostKeys));
      return output.out(`Successfully created ${items?.length ?? 0} SSH known host entries`);
    });

  command
    .command('rm <server>')
    .description('Remove the certificates and host keys of a server')
    .option('--cert-type <type>', 'Only ssh or https')
    .option('--cert-sub-type <type>', 'Only host keys of this type')
    .option('-y, --yes', 'Do not ask')
    .hook('preAction', asking(surroundings))
    .action(async (server: string, flags: { certType?: string; certSubType?: string }, own: Command) => {
      if (server === '*') return refuse('A single wildcard is not allowed as server name');
      const query = { hostNamePattern: server, ...flags, yes: undefined };
      const { items } = await sessionOf(own, surroundings).request<{ items?: Certificate[] | null }>('DELETE', path, {
        query,
      });
      if (!items?.length) return output.out('No certificates were removed (none matched the given pattern)');
      return output.out(
        items
          .map(
            (item) =>
              `Removed cert for '${item.serverName}' of type '${item.certType}' (subtype '${item.certSubType ?? ''}')`,
          )
          .join('\n'),
      );
    });
}

interface ListFlags {
  readonly output: string;
  readonly sort: string;
  readonly certType?: string;
  readonly hostnamePattern?: string;
}

interface AddFlags {
  readonly from: string;
  readonly upsert?: boolean;
}

/** A line of known_hosts names one host or several, parted by commas. */
function hostKeys(line: string): object[] {
  const [hosts = '', certSubType = '', key = ''] = line.split(' ').filter(Boolean);
  return hosts
    .split(',')
    .map((serverName) => ({ serverName, certType: 'ssh', certSubType, certData: Buffer.from(key).toString('base64') }));
}
