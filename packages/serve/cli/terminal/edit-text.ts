import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';

const editorFailed = defineDiagnosis('EditorFailed', 'The editor of the user did not end well');

/**
 * Shows a text in the user's editor (`KUBE_EDITOR`, `VISUAL`, `EDITOR`, else `vi`) and returns what was saved. The variable may hold
 * arguments; no shell reads it. Rejects with EditorFailed when the editor cannot be started or ends with another code than 0.
 */
export async function editText(text: string, env: NodeJS.ProcessEnv): Promise<string> {
  const [command = 'vi', ...args] = (env.KUBE_EDITOR || env.VISUAL || env.EDITOR || 'vi').split(' ').filter(Boolean);
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-edit-'));
  const file = join(folder, 'edit.yaml');
  try {
    writeFileSync(file, text, { mode: 0o600 });
    const problem = await new Promise<string | undefined>((resolve) => {
      const child = spawn(command, [...args, file], { stdio: 'inherit' });
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code, signal) => resolve(code === 0 ? undefined : `it ended with ${signal ?? code}`));
    });
    if (problem) {
      throw failure(editorFailed, {
        message: `The editor ${command} failed: ${problem}`,
        remedies: ['Set EDITOR to an editor that is installed'],
      });
    }
    return readFileSync(file, 'utf8');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
