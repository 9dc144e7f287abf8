import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FlagTable, parseFlags } from '@tiphys/helm';
import { KustomizationDocument } from '../edit/kustomization-document.ts';
import { GoError } from '../failure/go-error.ts';
import { KustomizeError } from '../failure/kustomize-error.ts';
import { kustomizationFileNames } from '../kustomization/read-kustomization.ts';
import { Scopes } from '../resource/cluster-scope.ts';
import { readResources } from '../resource/read-resources.ts';
import { type KustomizeSurroundings, report } from './build-command.ts';
import { pathsOf } from './edit-command.ts';

const flags: FlagTable = {
  resources: { type: 'text' },
  namespace: { type: 'text' },
  annotations: { type: 'text' },
  labels: { type: 'text' },
  nameprefix: { type: 'text' },
  namesuffix: { type: 'text' },
  autodetect: { type: 'bool' },
  recursive: { type: 'bool' },
  'stack-trace': { type: 'ignored-bool' },
  help: { type: 'bool', short: 'h' },
};

const usage = `Makes a kustomization in the current folder.

Usage:
  tiphys kustomize create [flags]

Flags:
      --annotations string   Common annotations, as k:v,k:v
      --autodetect           Name the resources of the current folder
      --labels string        Common labels, as k:v,k:v
      --nameprefix string    namePrefix
      --namespace string     namespace
      --namesuffix string    nameSuffix
      --recursive            With --autodetect, also those of folders below
      --resources string     Files, folders and addresses, separated by commas
`;

/** Runs `kustomize create` in the working folder; resolves to its exit code. */
export async function createCommand(argv: readonly string[], surroundings: KustomizeSurroundings): Promise<number> {
  const { workdir, out } = surroundings;
  try {
    const { flag, text } = parseFlags(argv, flags);
    if (flag('help')) {
      out(usage);
      return 0;
    }
    const resources: string[] = [];
    if (text('resources'))
      for (const pattern of text('resources').split(',')) resources.push(...(await pathsOf(pattern, workdir, '')));
    if (kustomizationFileNames.some((name) => existsSync(join(workdir, name))))
      throw new GoError('kustomization file already exists', { remedies: ['Change it with `kustomize edit`'] });
    if (flag('autodetect'))
      for (const path of detected(workdir, '', flag('recursive'))) if (!resources.includes(path)) resources.push(path);
    const document = new KustomizationDocument('', 'kustomization.yaml');
    Object.assign(document.fields, {
      resources,
      namespace: text('namespace'),
      namePrefix: text('nameprefix'),
      nameSuffix: text('namesuffix'),
      commonAnnotations: pairsOf(text('annotations'), 'annotation'),
      commonLabels: pairsOf(text('labels'), 'label'),
    });
    writeFileSync(join(workdir, 'kustomization.yaml'), document.toString());
    return 0;
  } catch (error) {
    return report(error instanceof GoError ? new KustomizeError(error) : error, surroundings);
  }
}

/** Files with resources, and folders with kustomizations, in order of name. */
function detected(workdir: string, folder: string, recursive: boolean): string[] {
  const found: string[] = [];
  const entries = readdirSync(join(workdir, folder), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (!entry.isDirectory()) {
      if (isResource(join(workdir, path), path)) found.push(path);
    } else if (recursive) {
      if (kustomizationFileNames.some((name) => existsSync(join(workdir, path, name)))) found.push(path);
      else found.push(...detected(workdir, path, recursive));
    }
  }
  return found;
}

function isResource(path: string, shown: string): boolean {
  try {
    readResources(readFileSync(path), { file: shown }, new Scopes());
    return true;
  } catch (error) {
    if (error instanceof GoError) return false;
    throw error;
  }
}

function pairsOf(text: string, kind: string): Map<string, string> {
  const pairs = new Map<string, string>();
  for (const pair of text === '' ? [] : text.split(',')) {
    const at = pair.indexOf(':');
    if (at === 0) throw new GoError(`invalid ${kind}: '${pair}' (need k:v pair where v may be quoted)`);
    if (at < 0) pairs.set(pair, '');
    else pairs.set(pair.slice(0, at), pair.slice(at + 1).replace(/^"(.*)"$/s, '$1'));
  }
  return pairs;
}
