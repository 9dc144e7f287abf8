import type { Answer } from '../conformance/run-case.ts';

interface Told {
  message?: string;
  details?: { causes?: { field?: string; message?: string }[]; group?: string };
}

/**
 * An answer without what kube-apiserver itself answers one way or the other: Go visits maps in no order, so the first
 * unknown field that it meets ends the check of an apply, and the errors of a custom resource come in any order. Names
 * of Go types that are texts are not known here, nor what a refused object is warned of.
 */
export function comparable(answer: Answer | undefined): unknown {
  if (!answer || answer.code < 400 || typeof answer.body !== 'object' || answer.body === null) return answer;
  const body = JSON.parse(
    JSON.stringify(answer.body)
      .replace(/(resourceVersion\\+":\\+")\d+/g, '$1')
      .replace(/selfType\d+(\.@?\w+)*/g, 'object')
      .replace(/(Go struct field [\w.]+ of type) [\w.[\]]+/g, '$1 …'),
  ) as Told;
  const { details } = body;
  // The difference at the end of a text is cut off with the bracket behind it.
  const message = (body.message ?? '').replace(/\]$/, '');
  const { warnings: _, ...rest } = answer;
  if (answer.code === 400) return { ...rest, body };
  if (message.startsWith('failed to create typed patch object')) return { ...answer, body: message.split('): ')[0] };
  const causes = details?.causes;
  if (!causes || !/(^|\.)(fuzz\.example\.com|apiextensions\.k8s\.io)$/.test(details.group ?? ''))
    return { ...answer, body: { ...body, message } };
  const sorted = causes.map((cause) => JSON.stringify(cause)).sort();
  return {
    ...answer,
    body: { ...body, message: message.split(' is invalid: ')[0], details: { ...details, causes: sorted } },
  };
}
