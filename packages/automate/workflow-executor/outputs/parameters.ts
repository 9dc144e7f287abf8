import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { PodContext } from '../pod/pod-context.ts';
import { isOwnFile, type Outputs, type Template } from '../pod/template.ts';

/** An object of Kubernetes holds no more, in bytes. */
const largest = 1 << 20;

type Parameters = NonNullable<Outputs['parameters']>;

/** The output parameters with what their files hold, without one last line break; the default where there is no file. */
export function captureParameters(context: PodContext, parameters: Parameters): Parameters {
  return parameters.map((parameter) => {
    const { path, default: otherwise } = parameter.valueFrom ?? {};
    if (!path) return parameter;
    const file = fileOf(context, context.template, path);
    try {
      return { ...parameter, value: contentOf(file, parameter.name).replace(/\n$/, '') };
    } catch (error) {
      if (otherwise === undefined) throw error;
      return { ...parameter, value: String(otherwise).replace(/\n$/, '') };
    }
  });
}

/** The emissary copies files of its own container; those on volumes are read where they are. */
function fileOf({ folders }: PodContext, template: Template, path: string): string {
  return isOwnFile(template, path) ? join(folders.run, 'outputs/parameters', path) : join(folders.mirror, path);
}

function contentOf(file: string, name: string): string {
  const { size } = statSync(file);
  if (size > largest)
    throw new Error(
      `The output parameter ${name} has ${size} bytes and the cluster keeps ${largest}: save it as an artifact instead`,
    );
  return readFileSync(file, 'utf8');
}
