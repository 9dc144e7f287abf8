import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type Surroundings, sessionOf } from '../terminal/command-context.ts';
import { asking } from '../terminal/confirm.ts';
import { structured } from '../terminal/output.ts';
import { outputFlag } from './common/output-flag.ts';
import { addListVerb } from './common/records.ts';

interface Key {
  readonly keyID: string;
  readonly fingerprint?: string;
  readonly subType?: string;
  readonly owner?: string;
  readonly keyData?: string;
}

const path = '/api/v1/gpgkeys';

/** `tiphys gpg …`: the verbs of `argocd gpg`. */
export function addGpgCommands(program: Command, surroundings: Surroundings): void {
  const { output, workdir } = surroundings;
  const command = program.command('gpg').description('Manage the keys that commits are verified with');
  addListVerb<Key>(
    {
      command,
      surroundings,
      path,
      columns: ['KEYID', 'TYPE', 'IDENTITY'],
      row: ({ keyID, subType, owner }) => [keyID, subType?.toUpperCase(), owner],
      nameOf: ({ keyID }) => keyID,
    },
    'keys',
  );

  command
    .command('get <id>')
    .description('Show a key')
    .addOption(outputFlag(['wide', 'json', 'yaml']))
    .action(async (id: string, flags: { output: string }, own: Command) => {
      const key = await sessionOf(own, surroundings).request<Key>('GET', `${path}/${encodeURIComponent(id)}`);
      if (flags.output === 'json' || flags.output === 'yaml') return output.out(structured(flags.output, key));
      return output.out(
        [
          `Key ID:          ${key.keyID}`,
          `Key fingerprint: ${key.fingerprint ?? ''}`,
          `Key subtype:     ${key.subType?.toUpperCase() ?? ''}`,
          `Key owner:       ${key.owner ?? ''}`,
          `Key data follows until EOF:\n${key.keyData ?? ''}`,
        ].join('\n'),
      );
    });

  command
    .command('add')
    .description('Add the public keys of a file')
    .requiredOption('-f, --from <file>', 'File with public keys, armored')
    .action(async (flags: { from: string }, own: Command) => {
      const keyData = readFileSync(resolve(workdir, flags.from), 'utf8');
      const { created, skipped } = await sessionOf(own, surroundings).request<{
        created?: { items?: Key[] | null };
        skipped?: string[] | null;
      }>('POST', path, { body: { keyData } });
      const left = skipped?.length ? `, and ${skipped.length} key(s) were skipped because they exist already` : '';
      output.out(`Created ${created?.items?.length ?? 0} key(s) from input file${left}`);
    });

  command
    .command('rm <id>')
    .description('Remove a key')
    .option('-y, --yes', 'Do not ask')
    .hook('preAction', asking(surroundings))
    .action(async (id: string, _flags: object, own: Command) => {
      await sessionOf(own, surroundings).request('DELETE', path, { query: { keyID: id } });
      output.out(`Deleted key with key ID ${id}`);
    });
}
