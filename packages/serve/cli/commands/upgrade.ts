import { readFile, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { formatDiagnosis } from '@tiphys/diagnosis';
import type { ApiUse, ChangedFile, CustomLives, Release, UpgradeReport } from '@tiphys/upgrades';
import { type Command, Option } from 'commander';
import { Exit, type Surroundings, sessionOf } from '../terminal/command-context.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type Output, paint, structured } from '../terminal/output.ts';
import { onCluster } from './common/on-cluster.ts';

interface CheckOptions {
  readonly to: string;
  readonly path?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly cluster?: string;
  readonly auditLog: readonly string[];
  readonly output: 'wide' | 'json' | 'yaml';
}

/** `tiphys upgrade …`: what an upgrade of Kubernetes removes, who still uses it, and the changes that are mechanical. */
export function addUpgradeCommands(program: Command, surroundings: Surroundings): void {
  const upgrade = program.command('upgrade').description('What an upgrade of Kubernetes will break, and for whom');
  upgrade
    .command('check')
    .description(
      'Find every use of an API that a release removes or deprecates: in Git with --path, in a cluster with --kubeconfig or --context, else in what the server knows',
    )
    .requiredOption('--to <release>', 'Release of Kubernetes, such as 1.35')
    .option('--path <dir>', 'Work tree of a repository')
    .option('--kubeconfig <file>', 'Look at this cluster without a server')
    .option('--context <name>', 'Context of the kubeconfig')
    .option('--cluster <url>', 'Cluster that the server knows, by its URL or its name; its own without')
    .option(
      '--audit-log <file>',
      "The API server's audit log as JSON lines, or a cloud's export of it, packed by gzip or not; may be repeated",
      collect,
      [],
    )
    .addOption(new Option('-o, --output <format>', 'Output format').choices(['wide', 'json', 'yaml']).default('wide'))
    .action(async (options: CheckOptions, command: Command) => {
      const report = await check(options, command, surroundings);
      if (options.output === 'wide') await print(report, surroundings.output);
      else surroundings.output.out(structured(options.output, report));
      if (report.uses.some(({ state }) => state === 'removed')) throw new Exit(exitCodes.differences);
    });
  upgrade
    .command('fix')
    .description('Show the changes of a work tree that are mechanical, and write them with --write')
    .requiredOption('--to <release>', 'Release of Kubernetes, such as 1.35')
    .option('--path <dir>', 'Work tree of a repository', '.')
    .option('--write', 'Change the files; commit them as you are used to')
    .option('--commit [message]', 'Change the files and commit them alone')
    .option('--branch <name>', 'Commit on a new branch of this name')
    .option('--push <remote>', 'Push the branch; hosts answer with the address of the pull request')
    .action((options: FixOptions) => fix(options, surroundings));
}

function collect(value: string, others: readonly string[]): string[] {
  return [...others, value];
}

async function check(options: CheckOptions, command: Command, surroundings: Surroundings): Promise<UpgradeReport> {
  const { path, kubeconfig, context, auditLog, cluster } = options;
  const { checkCluster, countCalls, parseRelease, upgradeReport, usesInGit } = await import('@tiphys/upgrades');
  const target = parseRelease(options.to);
  const { signal, workdir } = surroundings;
  const inGit = async (custom?: CustomLives): Promise<ApiUse[]> =>
    path === undefined ? [] : await usesInGit(resolve(workdir, path), target, signal, custom);
  const { calls, unseen } = await readLogs(auditLog, target, surroundings);
  const onlyFiles = path !== undefined || auditLog.length > 0;
  if (kubeconfig !== undefined || context !== undefined) {
    const where = {
      ...(kubeconfig ? { kubeconfig: resolve(workdir, kubeconfig) } : {}),
      ...(context ? { context } : {}),
    };
    let found: (UpgradeReport & { readonly custom: CustomLives }) | undefined;
    await onCluster(surroundings, { ...where, purpose: 'upgrade' }, async ({ client }) => {
      found = await checkCluster(client, { target, calls: countCalls(calls), signal });
    });
    if (found)
      return upgradeReport({
        target,
        uses: [...(await inGit(found.custom)), ...found.uses],
        readiness: found.readiness,
        unseen: [...unseen, ...found.unseen],
      });
  }
  if (onlyFiles) return upgradeReport({ target, uses: [...(await inGit()), ...countCalls(calls)], unseen });
  return await sessionOf(command, surroundings).request<UpgradeReport>('GET', '/api/tiphys/v1/upgrade', {
    query: { to: options.to, cluster },
    signal,
  });
}

async function readLogs(files: readonly string[], target: Release, { workdir, signal }: Surroundings) {
  const { auditFile } = await import('@tiphys/upgrades');
  const unseen: string[] = [];
  const read = await Promise.all(
    files.map(async (file) => {
      const { calls, unread } = await auditFile(resolve(workdir, file), target, signal);
      if (unread > 0) unseen.push(`${file}: ${unread} lines are no JSON`);
      return calls;
    }),
  );
  return { calls: read.flat(), unseen };
}

async function print({ target, uses, readiness, unseen }: UpgradeReport, output: Output): Promise<void> {
  const { useDiagnosis } = await import('@tiphys/upgrades');
  const count = (state: ApiUse['state']) => uses.filter((use) => use.state === state).length;
  for (const use of uses) {
    const { code, message, place, evidence, remedies } = useDiagnosis(use, target);
    output.out(`${paint(output, use.state === 'removed' ? 'red' : 'yellow', code)}: ${message}`);
    if (place?.file) output.out(`  at: ${place.file}${place.line ? `:${place.line}` : ''}`);
    for (const { name, value } of evidence) output.out(`  ${name}: ${value}`);
    for (const { text } of remedies) output.out(`  → ${text}`);
    if (use.change) output.out(`    - ${use.change.before}\n    + ${use.change.after}`);
  }
  for (const each of readiness) output.out(`${paint(output, 'yellow', each.code)}: ${formatDiagnosis(each)}`);
  for (const each of unseen) output.out(`${paint(output, 'grey', 'Not seen')}: ${each}`);
  output.out(
    `Kubernetes ${target}: ${count('removed')} uses of what it does not serve, ${count('deprecated')} of what is deprecated, ${readiness.length} things to see to before`,
  );
}

interface FixOptions {
  readonly to: string;
  readonly path: string;
  readonly write?: boolean;
  readonly commit?: string | true;
  readonly branch?: string;
  readonly push?: string;
}

async function fix(options: FixOptions, { workdir, output, signal }: Surroundings): Promise<void> {
  const { commitFiles, fixText, parseRelease, usesInGit, worktreeOf } = await import('@tiphys/upgrades');
  const target = parseRelease(options.to);
  const folder = resolve(workdir, options.path);
  const top = await worktreeOf(folder, signal);
  const files = new Set((await usesInGit(folder, target, signal)).flatMap(({ file }) => file ?? []));
  const changed: ChangedFile[] = [];
  let lines = 0;
  for (const file of [...files].sort()) {
    const { text, changes, refusals } = fixText(await readFile(join(top, file), 'utf8'), target);
    const shown = relative(workdir, join(top, file)) || file;
    for (const { line, before, after } of changes) {
      output.out(`${shown}:${line}`);
      output.out(paint(output, 'red', `- ${before}`));
      output.out(paint(output, 'green', `+ ${after}`));
    }
    for (const { line, reason } of refusals) output.out(`${shown}:${line}: change it by hand: ${reason}`);
    lines += changes.length;
    if (changes.length > 0) changed.push({ file, text });
  }
  const { branch, push } = options;
  const commits = options.commit !== undefined || branch !== undefined || push !== undefined;
  if (!options.write && !commits)
    return output.out(
      `${lines} lines would be changed: --write changes them, --commit and --push commit and push them`,
    );
  if (commits && changed.length > 0) {
    const message =
      typeof options.commit === 'string' ? options.commit : `Use APIs that Kubernetes ${options.to} serves`;
    const asked = { message, ...(branch ? { branch } : {}), ...(push ? { remote: push } : {}), signal };
    const { commit, told } = await commitFiles(top, changed, asked);
    output.out(`Commit ${commit.slice(0, 12)}${push ? `, pushed to ${push}` : ''}`);
    if (told) output.out(told);
  } else for (const { file, text } of changed) await writeFile(join(top, file), text);
  output.out(`${lines} lines were changed`);
}
